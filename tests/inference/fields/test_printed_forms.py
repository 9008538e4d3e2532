"""Tests of what businesses print, such as rates of several taxes, sums in one row, and receipts without heads."""

import pytest

from inference.core.contracts import Json, TextLine
from inference.fields.candidates import page_candidates
from inference.fields.document import document_fields
from inference.layout.boxes import Box
from tests.inference.fields.invoices import HEIGHT, WIDTH, answer, lines_of, table, values

HEAD = "Brightline Ltd\nInvoice no: INV-7   Invoice date: 2 November 2026\n"


def amounts(found: Json) -> dict[str, str]:
    return {name: value for name, value in values(found).items() if name in ("net", "tax", "total")}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(
            "Net -£68.00\nVAT 20% -£13.60\nTotal credit -£81.60",
            {"net": "-68.00", "tax": "-13.60", "total": "-81.60"},
            id="signs before currencies",
        ),
        pytest.param(
            "Total excluding VAT   £281.81\nVAT at 5%   £14.09\nTotal amount due by 28 November 2026   £295.90",
            {"net": "281.81", "tax": "14.09", "total": "295.90"},
            id="a date between the label and its amount",
        ),
        pytest.param(
            "Total payable £57.98\nVAT rate   Subtotal (excl. VAT)   VAT subtotal\n20%   £48.32   £9.66\n"
            "Total   £48.32   £9.66",
            {"net": "48.32", "tax": "9.66", "total": "57.98"},
            id="a row with net and tax that make the total",
        ),
        pytest.param(
            "Sum of the amounts above   £35.71\nVAT 19%   £6.78\nAmount due   £42.49",
            {"net": "35.71", "tax": "6.78", "total": "42.49"},
            id="a net amount without a known label",
        ),
        pytest.param(
            "Total   £730.90\nVAT 3.8 % on 630.00: 23.06 · VAT 8.1 % on 86.50: 6.48",
            {"total": "730.90"},
            id="the tax of one rate is not that of the document",
        ),
    ],
)
def test_sums_are_found(rows: str, expected: dict[str, str]) -> None:
    assert amounts(answer(HEAD + rows)) == expected


def test_amounts_of_nobody_are_no_net_amount() -> None:
    """Test that the amount of a line item is not taken for the net amount, though tax and total say so."""
    found = answer(HEAD + "Desk lamp   £100.00\nDelivery is free\nVAT 20%   £20.00\nTotal   £120.00")
    assert amounts(found)["total"] == "120.00"


def test_tax_that_the_buyer_pays_for_the_supplier_does_not_contradict() -> None:
    found = answer(
        "Factura\nNº factura: 2026-019\nFecha: 31/10/2026\nBase imponible   1.600,00 €\nIVA (21 %)   336,00 €\n"
        "Retención IRPF (15 %)   -240,00 €\nTotal a pagar   1.696,00 €"
    )
    assert amounts(found) == {"net": "1600.00", "tax": "336.00", "total": "1696.00"}
    assert found["warnings"] == []


def test_label_in_two_languages_is_one() -> None:
    found = answer(
        "Verhoeven NV/SA\nFactuur / Facture 26-4410\nDatum / Date   09/10/2026\n"
        "Totaal excl. btw / Total HTVA   343,00\nBTW / TVA 21 %   72,03\nTe betalen / À payer   EUR 415,03"
    )
    assert amounts(found) == {"net": "343.00", "tax": "72.03", "total": "415.03"}


def test_date_of_two_labels_belongs_to_both() -> None:
    found = answer("Invoice\nInvoice # LU-77\nInvoice date / Delivery date 09 October 2026\nTotal   £57.98")
    assert values(found)["issue_date"] == "2026-10-09"


def test_date_above_items_is_that_of_each_item() -> None:
    found = answer(
        "Invoice\nInvoice # 77-20931   Statement date 11/14/2026\nDate   Description   Quantity   Amount\n"
        "10/12/2026   Office visit   1   $55.00\nTotal   $55.00"
    )
    assert values(found)["issue_date"] == "2026-11-14"


@pytest.mark.parametrize("label", ["Sold to", "Bill to"])
def test_buyer_may_follow_its_label_without_a_colon(label: str) -> None:
    assert values(answer(f"{HEAD}{label} Daniel Price\nTotal   £57.98"))["buyer"] == "Daniel Price"


def test_account_to_pay_to_is_no_buyer() -> None:
    found = answer(HEAD + "Total   £57.98\nPlease pay within 30 days to: T Whitfield, account 33221100")
    assert "buyer" not in values(found)


def test_number_that_is_cut_at_its_line_is_left_out() -> None:
    assert "invoice_number" not in values(answer("Invoice   SKY-2026-\nIssued   15 Oct 2026\nTotal due: EUR 49.00"))


def test_number_with_a_label_may_look_like_that_of_a_telephone() -> None:
    found = answer("PARKEERGARAGE\nKWITANTIE\nBonnummer: 0087-11234\nIncl. 21% BTW   EUR 1,67\nTotaal   EUR 9,60")
    assert values(found)["invoice_number"] == "0087-11234"
    assert amounts(found)["tax"] == "1.67"


RECEIPT = """JOE'S DINER
221 Elm St, Springfield IL
10/28/2026 12:51 PM
2 Cheeseburger   23.90
1 Cobb Salad   12.75
3 Iced Tea   8.85
Subtotal   45.50
Tax 7.5%   3.41
TOTAL   $48.91"""


def test_items_of_a_receipt_are_the_rows_that_make_its_sum() -> None:
    found = answer(RECEIPT)
    assert values(found)["supplier"] == "JOE'S DINER"
    assert [(item["quantity"], item["description"], item["amount"]) for item in found["line_items"]] == [
        ("2", "Cheeseburger", "23.90"),
        ("1", "Cobb Salad", "12.75"),
        ("3", "Iced Tea", "8.85"),
    ]


def test_rows_that_make_no_sum_are_no_items() -> None:
    assert answer(RECEIPT.replace("12.75", "13.75"))["line_items"] == []


def test_costs_of_delivery_count_and_are_no_item() -> None:
    found = answer(RECEIPT.replace("3 Iced Tea", "Delivery"))
    assert [item["description"] for item in found["line_items"]] == ["Cheeseburger", "Cobb Salad"]


def test_date_column_is_no_date_of_the_document() -> None:
    found = answer(
        "Rechnung Nr. 26-1187\nFrankfurt, den 30.10.2026\nDatum   Leistung   Betrag\n14.10.26   Beratung   10,72 €\n"
        "14.10.26   Untersuchung   21,45 €\nGesamtbetrag   32,17 €"
    )
    assert values(found)["issue_date"] == "2026-10-30"


def test_series_before_a_bar_belongs_to_the_number() -> None:
    assert values(answer("FACTURA A/2026/1893\nTotal factura   437,00 €"))["invoice_number"] == "A/2026/1893"


def test_american_address_says_how_dates_are_written() -> None:
    text = "SAVE-RITE MARKET #0412\n3300 W MAIN ST\nBOZEMAN, MT 59718\nSUBTOTAL   26.83\nTAX 1   0.69\nTOTAL   27.52\n"
    found = answer(text + "11/02/26 17:22:41")
    assert values(found)["issue_date"] == "2026-11-02"
    assert values(found)["supplier"] == "SAVE-RITE MARKET #0412"
    assert amounts(found)["tax"] == "0.69"


@pytest.mark.parametrize("above", ["Gentile Cliente\n", ""])
def test_letter_is_for_the_person_and_not_for_who_is_greeted(above: str) -> None:
    found = answer(
        f"Acqua Viva S.p.A.\n\n\n\n{above}SIG. MARIO NERI\nVIA BALBI 9\n16126 GENOVA\n\n"
        "Fattura n. 47/2026\nTotale fattura   9,00 €"
    )
    assert values(found)["buyer"] == "SIG. MARIO NERI"


@pytest.mark.parametrize("title", ["QUOTATION", "Kontoauszug 10/2026"])
def test_other_documents_have_no_fields(title: str) -> None:
    lines = lines_of("x\nBluegum Ltd\nNo: Q-118   Date: 1 Oct 2026\nSubtotal   $20.00\nTax   $2.00\nTotal   $22.00")
    heading = TextLine(title, Box(80, 20, 500, 60).corners(), 0.99)
    candidates = page_candidates([heading, *lines[1:]], (), WIDTH, HEIGHT, {"probabilities": {"invoice": 0.3}})
    assert document_fields([candidates])["fields"] == []


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(
            "Desk   60.00\nChair   40.00\nNet   83.33\nVAT 20%   16.67\nTotal   £100.00", id="prices with tax"
        ),
        pytest.param("Desk   60.00\nVAT 20%   12.00\nChair   40.00\nTotal   £112.00", id="a tax among the items"),
        pytest.param("Desk   60.00\nChair   40.00\nDeposit paid   -50.00\nBalance due   £50.00", id="a deposit"),
        pytest.param("Desk   60.00 T\nChair   40.00 T\nTotal   £100.00", id="codes of taxes"),
    ],
)
def test_rows_make_the_sum_with_what_stands_among_them(rows: str) -> None:
    found = answer(HEAD + rows)
    assert [item["description"] for item in found["line_items"]] == ["Desk", "Chair"]


def test_sum_in_a_table_is_no_item() -> None:
    rows = [["Description", "Amount"], ["Desk", "60.00"], ["Chair", "40.00"], ["Sum of all", "100.00"]]
    found = answer(HEAD + "Total   £100.00", tables=[table(rows)])
    assert [item["description"] for item in found["line_items"]] == ["Desk", "Chair"]


def test_several_invoices_in_a_file_are_not_mixed() -> None:
    first = "Hollow Creek Ltd\nInvoice\nInvoice no: 300451   Invoice date: 2 November 2026\nTotal   $120.00"
    second = "Northwind Ltd\nInvoice\nInvoice no: 300452   Invoice date: 3 November 2026\nTotal   £250.00"
    found = answer(first, "Total of page 2   $120.00", second)
    assert (values(found)["invoice_number"], values(found)["currency"]) == ("300451", "USD")
    assert {field["page"] for field in found["fields"]} == {1}
    assert [(one["code"], one["pages"]) for one in found["warnings"]] == [("several_documents", [3])]
    assert "300452 on page 3" in found["warnings"][0]["message"]


@pytest.mark.parametrize(
    "second",
    [
        pytest.param("Invoice\nInvoice no: INV-7   Invoice date: 2 November 2026\nTotal   £9.00", id="the same number"),
        pytest.param("Payment slip\nInvoice no: 4471-0\nTotal   £9.00", id="a number without a title and a date"),
        pytest.param("Total   £9.00", id="no number"),
    ],
)
def test_pages_of_one_invoice_stay_together(second: str) -> None:
    found = answer(f"Invoice\n{HEAD}", second)
    assert values(found)["total"] == "9.00"
    assert found["warnings"] == []


def test_short_label_of_a_date_says_which_date_it_is() -> None:
    found = answer("Invoice\nInvoice no: INV-7\nDue: 13 May 2026\nTotal   £9.00")
    assert (values(found).get("issue_date"), values(found)["due_date"]) == (None, "2026-05-13")


def test_rate_beside_the_tax_is_that_of_the_document() -> None:
    (rate,) = answer(HEAD + "Net   £200.00\nVAT 20%   £40.00\nTotal   £240.00")["tax_rates"]
    assert (rate["rate"], rate["net"], rate["tax"], rate["page"]) == ("20", "200.00", "40.00", 1)


def test_rate_that_does_not_make_the_tax_is_left_out() -> None:
    assert answer(HEAD + "Net   £200.00\nVAT 19%   £40.00\nTotal   £240.00")["tax_rates"] == []
