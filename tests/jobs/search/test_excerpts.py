from jobs.search.excerpts import LENGTH, Part, excerpt_of, lines_with_matches
from jobs.search.queries import parsed


def shown(text: str, typed: str) -> str:
    return "".join(f"[{part.text}]" if part.marked else part.text for part in excerpt_of(text, parsed(typed)))


def test_the_words_that_were_asked_for_are_marked() -> None:
    assert shown("An Invoice\nfor ACME Corp.", "invoice acme") == "An [Invoice] for [ACME] Corp."


def test_a_beginning_marks_the_whole_word() -> None:
    assert shown("Invoices are due", "invoi") == "[Invoices] are due"


def test_words_of_a_phrase_are_marked_only_where_they_stand_together() -> None:
    assert shown("03 of 2024-03", "2024-03") == "03 of [2024]-[03]"


def test_neighbors_of_an_unspaced_script_are_one_mark() -> None:
    assert shown("增值税发票号码", "税发票") == "增值[税发票]号码"


def test_a_long_text_is_shown_around_the_first_match() -> None:
    text = "before " * 500 + "needle" + " after" * 500
    excerpt = shown(text, "needle ")
    assert excerpt.startswith("… before")
    assert "[needle] after" in excerpt
    assert excerpt.endswith(" …")
    assert len(excerpt) < LENGTH + 10


def test_a_text_without_the_words_is_shown_from_its_beginning() -> None:
    assert excerpt_of("Something else", parsed("needle")) == (Part("Something else", False),)


def test_markup_in_a_text_stays_text() -> None:
    assert excerpt_of("<b>acme</b>", parsed("acme "))[1] == Part("acme", True)


def test_lines_have_a_match_also_when_a_phrase_goes_on_in_the_next() -> None:
    lines = ["", "the total", "due is", "", "a total of", "TOTAL"]
    assert lines_with_matches(lines, parsed('"total due" ')) == [1, 2]
    assert lines_with_matches(lines, parsed("total ")) == [1, 4, 5]
    assert lines_with_matches(lines, parsed("absent ")) == []


def test_matches_are_looked_for_in_the_first_words_only() -> None:
    assert lines_with_matches(["one two", "three"], parsed("two three "), max_words=2) == [0]
    assert excerpt_of("one two three", parsed("three "), max_words=2)[0].text == "one two "
