"""Tables with few or no rules: what belongs to them, how their columns divide, and what only looks like one."""

from inference.core.contracts import TextLine
from inference.tables.doubt import is_doubtful
from inference.tables.page_tables import find_tables
from tests.inference.tables.printed import level, line, rows

PROSE = "The council repaired the bridge behind the station after the long winter of that year"
CITIES = [["City", "Sites", "Costs"], ["Bristol", "12", "3,400"], ["Leeds", "7", "1,250"], ["Dover", "31", "9,980"]]
LEFTS = (100, 220, 320)


def striped(top: float, count: int) -> list[float]:
    """Return the edges of every other row of 20 points, the first one with a background."""
    return [top + 20 * number for number in range(count)]


def test_the_last_row_of_a_striped_table_belongs_to_it() -> None:
    texts = [*CITIES, ["Salem", "5", "870"], ["Total", "55", "15,500"]]
    rules = [level(at, 96, 400) for at in striped(96, 6)]
    (table,) = find_tables([*rows(texts, LEFTS), line(PROSE, 96, 240)], rules)
    assert table.grid() == texts


def test_a_note_below_a_striped_table_does_not_belong_to_it() -> None:
    texts = [*CITIES, ["Salem", "5", "870"]]
    rules = [level(at, 96, 400) for at in striped(96, 6)]
    note = line("Source: own counts of all of the sites", 100, 200)
    (table,) = find_tables([*rows(texts, LEFTS), note], rules)
    assert table.grid() == texts


def test_tables_of_different_lengths_beside_each_other_are_two() -> None:
    left = [["City", "Code", "Kind"], ["Bristol", "12", "open"], ["Leeds", "7", "shut"]]
    right = [["Person", "Sites"], ["Novak", "12"], ["Foster", "7"], ["Reyes", "31"], ["Hughes", "4"], ["Marlow", "9"]]
    lines = rows(left, (100, 180, 240)) + rows(right, (420, 500))
    assert [table.grid() for table in find_tables(lines, [])] == [left, right]


def test_one_table_with_a_wide_white_stays_one() -> None:
    texts = [["City", "Sites", "Costs", "Since"], ["Bristol", "12", "3,400", "2019"], ["Leeds", "7", "1,250", "2020"]]
    texts.append(["Dover", "31", "9,980", "2021"])
    (table,) = find_tables(rows(texts, (100, 180, 400, 480)), [])
    assert table.grid() == texts


def test_codes_are_values_of_a_table_of_two_columns() -> None:
    texts = [["City", "Number"], ["Bristol", "A-21756"], ["Leeds", "K/99114"], ["Dover", "T-33193"]]
    (table,) = find_tables(rows(texts, (100, 220)), [])
    assert table.grid() == texts


def test_a_label_without_values_ends_a_table() -> None:
    texts = [*CITIES, ["Halifax", "", ""]]
    (table,) = find_tables([*rows(texts, LEFTS), line(PROSE, 100, 240)], [])
    assert table.grid() == texts


def test_a_head_over_the_second_column_alone_begins_a_table() -> None:
    texts = [["", "Costs"], ["Bristol", "3,400"], ["Leeds", "1,250"], ["Dover", "9,980"]]
    (table,) = find_tables(rows(texts, (100, 220)), [])
    assert table.grid() == texts


def test_the_last_line_of_a_paragraph_is_no_row() -> None:
    lines = [line(PROSE, 100, 60), line("and of the spring", 100, 76), *rows(CITIES, LEFTS)]
    (table,) = find_tables(lines, [])
    assert table.grid() == CITIES


def test_a_heading_of_a_section_spans_all_columns() -> None:
    texts = [CITIES[0], ["North", "", ""], *CITIES[1:], ["South", "", ""], ["Poole", "5", "870"], ["Wells", "6", "99"]]
    (table,) = find_tables(rows(texts, LEFTS), [])
    spans = {cell.text: cell.column_span for cell in table.cells if cell.column_span > 1}
    assert spans == {"North": 3, "South": 3}
    assert not is_doubtful(table)


def test_a_row_whose_values_are_missing_is_no_heading() -> None:
    texts = [*CITIES, ["Halifax", "", ""], ["Poole", "5", "870"]]
    (table,) = find_tables(rows(texts, LEFTS), [])
    assert all(cell.column_span == 1 for cell in table.cells)


def test_heads_of_groups_span_the_columns_that_they_stand_over() -> None:
    low = ["City", "2023", "2024", "2023", "2024"]
    body = [["Bristol", "1,201", "1,211", "3,400", "3,500"], ["Leeds", "1,107", "1,101", "1,250", "1,300"]]
    lines = [line("Sites", 245, 80), line("Costs", 395, 80), *rows([low, *body, *body], (100, 220, 290, 370, 440))]
    (table,) = find_tables(lines, [level(at, 96, 480) for at in (76, 116, 198)])
    assert [(cell.text, cell.column, cell.column_span) for cell in table.cells if cell.row == 0] == [
        ("Sites", 1, 2),
        ("Costs", 3, 2),
    ]


def test_heads_that_stand_close_together_are_parted_by_the_columns_below() -> None:
    head = TextLine("Water filters Copper pipes", ((210, 100), (366, 100), (366, 112), (210, 112)), 1.0)
    body = [["Bristol", "12.50", "3,400"], ["Leeds", "71.00", "1,250"], ["Dover", "31.20", "9,980"]]
    (table,) = find_tables([line("City", 100, 100), head, *rows(body, (100, 250, 320), top=120)], [level(116, 96, 400)])
    assert table.grid()[0] == ["City", "Water filters", "Copper pipes"]


def test_a_stroke_of_a_letter_is_no_rule() -> None:
    lines = rows(CITIES, LEFTS)
    assert find_tables(lines, [level(126, 100, 142)]) == find_tables(lines, [])


def test_a_list_of_prices_without_heads_is_no_table() -> None:
    texts = [["Soup of the day", "4.20"], ["Baked cheese", "7.80"], ["Green salad", "5.10"], ["Coffee", "2.40"]]
    assert find_tables(rows(texts, (100, 420)), []) == []


def test_the_foot_of_a_letter_is_no_table() -> None:
    texts = [["Tessel Ltd", "Tel. 0947 938221", "IBAN"], ["Orchard Way 7", "info@tessel.example", "DE42 0112 4024"]]
    assert find_tables(rows([*texts, ["Dover", "", ""]], (100, 260, 440), pitch=14), []) == []


def test_running_text_in_narrow_columns_is_no_table() -> None:
    texts = ["the council of the town", "repaired the old bridge", "behind the new station", "after a long winter and"]
    lines = [
        line(text, 100 + 180 * column, 100 + 16 * row) for row, text in enumerate(texts * 4) for column in range(3)
    ]
    assert find_tables(lines, []) == []


def test_the_fields_of_a_form_are_no_table() -> None:
    labels = ["City", "Last name", "Employer", "Reason", "Postal code", "Date", "Title", "Phone"]
    lines = [line(label, 100, 100 + 40 * number) for number, label in enumerate(labels)]
    lines += [line("Novak", 104, 120 + 40 * number) for number in range(len(labels))]
    lines += rows([["Born", "1970"], ["Sites", "12"]], (100, 300), top=430)
    assert find_tables(lines, [level(at, 96, 500) for at in range(116, 480, 20)]) == []


LETTERHEAD = [
    ["Bakery Hill Ltd", "", "Invoice 2026-0931"],
    ["18 Market Street", "", "Date: 5 November"],
    ["Leeds", "", "Your order: BC-7781"],
    ["", "Hotel Park Ltd", ""],
]
ITEMS = [["Item", "Pieces", "Price", "Amount"], ["Bread", "620", "0.92", "570.40"], ["Rolls", "480", "0.85", "408.00"]]


def test_what_stands_above_the_heads_of_items_is_no_part_of_their_table() -> None:
    lines = rows(LETTERHEAD, (100, 220, 320)) + rows(ITEMS, (100, 220, 320, 420), top=190)
    (table,) = find_tables(lines, [])
    assert table.grid() == ITEMS


def test_addresses_beside_each_other_are_no_table() -> None:
    texts = [
        ["Cloudberry Inc.", "Bill to", "Ship to"],
        ["548 Market St", "Hartwell LLC", "Hartwell LLC"],
        ["San Francisco", "12 Dock Road", "9 Mill Lane"],
        ["United States", "Newark", "Harrogate"],
        ["billing@cb.test", "", "England"],
    ]
    texts[0][1] = ""
    assert find_tables(rows(texts, (100, 240, 380)), []) == []


def test_a_date_with_a_comma_is_one_cell() -> None:
    texts = [["Event", "Day"], ["Opening", "October 3, 2026"], ["Fair", "November 2, 2026"], ["Closing", "May 1, 2027"]]
    found = find_tables(rows([[name, day] for name, day in texts], (100, 220)), [])
    assert all(len(row) == 2 for table in found for row in table.grid())
