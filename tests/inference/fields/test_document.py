import json

import pytest

from inference.fields.document import document_fields
from tests.inference.fields.invoices import GERMAN, INVOICE, LETTER, answer, candidates_of, lines_of, table, values


def test_invoice_has_all_of_its_fields() -> None:
    assert values(answer(GERMAN)) == {
        "invoice_number": "RE-2024-0815",
        "issue_date": "2024-03-12",
        "due_date": "2024-03-26",
        "supplier": "Blaufeld AG",
        "buyer": "Keller Handel GmbH",
        "order_number": "4500012345",
        "currency": "EUR",
        "net": "100.00",
        "tax": "19.00",
        "total": "119.00",
        "iban": "DE89370400440532013000",
    }


def test_value_and_quote_are_on_the_page() -> None:
    texts = [line.text for line in lines_of(GERMAN)]
    for field in answer(GERMAN)["fields"]:
        assert field["quote"] in texts
        assert field["value"] in field["quote"]
        assert field["page"] == 1
        assert len(field["box"]) == 4
        assert 0 < field["confidence"] < 1


def test_candidates_are_small_json() -> None:
    found = candidates_of(GERMAN)
    assert json.loads(json.dumps(found)) == found
    assert len(json.dumps(found)) < 20_000


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "en",
            "Invoice\nInvoice number: INV-7   Date of issue: March 4, 2024\nPayment due: April 3, 2024\n"
            "PO number: 881234\nSubtotal   $100.00\nSales tax 8.25%   $8.25\nTotal due   $108.25",
            ("INV-7", "2024-03-04", "2024-04-03", "881234", "100.00", "8.25", "108.25", "USD"),
        ),
        (
            "fr",
            "Facture n° FA-7\nDate d'émission : 4 mars 2024   Échéance : 03/04/2024\nCommande n° 881234\n"
            "Total HT   1 100,00 €\nTVA 20 %   220,00 €\nNet à payer   1 320,00 €",
            ("FA-7", "2024-03-04", "2024-04-03", "881234", "1100.00", "220.00", "1320.00", "EUR"),
        ),
        (
            "es",
            "Factura\nN.º de factura: F/7-24   Fecha de expedición: 4 de marzo de 2024\nVencimiento: 03/04/2024\n"
            "Su pedido: 881234\nBase imponible   100,00 €\nIVA 21 %   21,00 €\nTotal a pagar   121,00 €",
            ("F/7-24", "2024-03-04", "2024-04-03", "881234", "100.00", "21.00", "121.00", "EUR"),
        ),
        (
            "it",
            "Fattura n. 7/2024 del 4 marzo 2024\nScadenza: 03/04/2024\nVs. ordine n. 881234\n"
            "Imponibile   € 100,00\nIVA 22%   € 22,00\nTotale documento   € 122,00",
            ("7/2024", "2024-03-04", "2024-04-03", "881234", "100.00", "22.00", "122.00", "EUR"),
        ),
        (
            "nl",
            "Factuur\nFactuurnummer: F7-24   Factuurdatum: 04-03-2024\nVervaldatum: 03-04-2024\nUw bestelling: 881234\n"
            "Totaal excl. btw   € 100,00\nBtw 21%   € 21,00\nTe betalen   € 121,00",
            ("F7-24", "2024-03-04", "2024-04-03", "881234", "100.00", "21.00", "121.00", "EUR"),
        ),
    ],
)
def test_fields_are_found_in_every_language(language: str, text: str, expected: tuple[str, ...]) -> None:
    names = ("invoice_number", "issue_date", "due_date", "order_number", "net", "tax", "total", "currency")
    found = values(answer(text))
    assert tuple(found.get(name) for name in names) == expected, language


def test_fields_that_are_not_there_are_absent() -> None:
    text = "Invoice\nInvoice number: INV-7\nTotal due   $108.25"
    assert set(values(answer(text))) == {"invoice_number", "total", "currency"}


def test_other_numbers_and_dates_are_no_fields() -> None:
    text = (
        "Rechnung\nRechnungsnummer: 4711   Kundennummer: 99123\nLieferdatum: 01.02.2024   Lieferschein: 55123\n"
        "USt-IdNr.: DE136695976   Tel.: 040 123456\nGesamtbetrag   119,00 €\nAnzahlung   19,00 €"
    )
    assert values(answer(text)) == {"invoice_number": "4711", "currency": "EUR", "total": "119.00"}


def test_letter_that_mentions_an_invoice_has_no_fields() -> None:
    text = (
        "Dear Mr. Miller,\nplease pay the amount of $1,200.00 by March 4, 2024.\n"
        "With your payment give the invoice number A-12345.\nYours sincerely"
    )
    assert answer(text, document_class=LETTER)["fields"] == []
    assert document_fields([candidates_of(text, None)])["fields"] == []


@pytest.mark.parametrize("label", ["invoice", "receipt"])
def test_a_person_decides_that_a_document_has_the_fields_of_an_invoice(label: str) -> None:
    found = [candidates_of("Invoice no. INV-7\nTotal due   $108.25", LETTER)]
    assert document_fields(found)["fields"] == []
    assert document_fields(found, label)["fields"] != []


def test_a_document_that_a_person_calls_a_letter_needs_as_much_evidence_as_a_letter() -> None:
    found = [candidates_of("Invoice no. INV-7\nTotal due   $108.25", INVOICE)]
    assert document_fields(found)["fields"] != []
    assert document_fields(found, "letter")["fields"] == []
    assert document_fields([candidates_of(GERMAN)], "letter")["fields"] != []


def test_quotation_has_no_fields() -> None:
    text = "Angebot\nAngebotsnummer: A-1   Datum: 1.2.2024\nNettobetrag   100,00 €\nGesamtbetrag   119,00 €"
    assert document_fields([candidates_of(text, None)])["fields"] == []


def test_arithmetic_chooses_between_candidates() -> None:
    text = (
        "Rechnung\nRechnungsnummer: 4711\nZwischensumme   120,00 €\nRabatt   -20,00 €\nNettobetrag   100,00 €\n"
        "MwSt. 19 %   19,00 €\nGesamtsumme   119,00 €\nAnzahlung   -50,00 €\nZu zahlen   69,00 €"
    )
    found = values(answer(text))
    assert (found["net"], found["tax"], found["total"]) == ("100.00", "19.00", "119.00")


def test_sums_that_add_up_are_surer_than_those_that_do_not() -> None:
    right = {field["name"]: field for field in answer(GERMAN)["fields"]}
    result = answer(GERMAN.replace("119,00", "129,00"))
    wrong = {field["name"]: field for field in result["fields"]}
    assert right["total"]["confidence"] > 0.9
    assert wrong["total"]["confidence"] < 0.7
    (warning,) = result["warnings"]
    assert warning["code"] == "fields_contradict"
    assert "119.00" in warning["message"]
    assert "129.00" in warning["message"]


def test_taxes_by_rate_prove_net_and_tax() -> None:
    text = (
        "Rechnung\nRechnungsnummer: 4711\nSatz   Netto   MwSt.\n19 %   100,00   19,00\n7 %   200,00   14,00\n"
        "Nettobetrag   300,00 €\nMwSt.   33,00 €\nGesamtbetrag   333,00 €"
    )
    result = answer(text)
    assert [(rate["rate"], rate["net"], rate["tax"]) for rate in result["tax_rates"]] == [
        ("19", "100.00", "19.00"),
        ("7", "200.00", "14.00"),
    ]
    found = values(result)
    assert (found["net"], found["tax"], found["total"]) == ("300.00", "33.00", "333.00")


def test_tax_of_several_rates_is_absent_if_their_sum_is_not_printed() -> None:
    text = (
        "Rechnung\nRechnungsnummer: 4711\nNettobetrag   300,00 €\nMwSt. 19 %   19,00 €\nMwSt. 7 %   14,00 €\n"
        "Gesamtbetrag   333,00 €"
    )
    result = answer(text)
    assert "tax" not in values(result)
    assert result["warnings"] == []


def test_ambiguous_date_says_so() -> None:
    text = "Invoice\nInvoice number: INV-7   Invoice date: 03/04/2024\nTotal due   108.25"
    (field,) = [field for field in answer(text)["fields"] if field["name"] == "issue_date"]
    assert field["normalized"] is None
    assert field["ambiguous"] == ["2024-04-03", "2024-03-04"]
    assert field["confidence"] <= 0.5


@pytest.mark.parametrize(
    ("total", "iso"), [("£108.25", "2024-04-03"), ("$108.25", "2024-03-04"), ("108.25 EUR", "2024-04-03")]
)
def test_currency_decides_the_order_of_an_english_date(total: str, iso: str) -> None:
    text = f"Invoice\nInvoice number: INV-7   Invoice date: 03/04/2024\nTotal due   {total}"
    assert values(answer(text))["issue_date"] == iso


def test_another_date_decides_the_order() -> None:
    text = "Invoice\nInvoice no.: INV-7   Invoice date: 03/04/2024\nDue date: 13/04/2024\nTotal due   $108.25"
    assert values(answer(text))["issue_date"] == "2024-04-03"


def test_due_date_before_the_issue_date_is_a_contradiction() -> None:
    result = answer(GERMAN.replace("26.03.2024", "26.02.2024"))
    assert [warning["code"] for warning in result["warnings"]] == ["fields_contradict"]


def test_numbers_come_from_the_first_page_and_totals_from_the_last() -> None:
    first = (
        "Blaufeld AG\nRechnung\nRechnungsnummer: RE-0815   Rechnungsdatum: 12.03.2024\n"
        "Bezeichnung   Menge   Einzelpreis   Betrag\nLampen   2   50,00   100,00\nÜbertrag   100,00"
    )
    last = (
        "Rechnungsnummer: RE-0815   Seite 2 von 2\nÜbertrag   100,00\nNettobetrag   150,00 €\nMwSt. 19 %   28,50 €\n"
        "Gesamtbetrag   178,50 €"
    )
    result = answer(first, last)
    pages = {field["name"]: field["page"] for field in result["fields"]}
    assert values(result)["total"] == "178.50"
    assert (pages["invoice_number"], pages["issue_date"], pages["net"], pages["total"]) == (1, 1, 2, 2)


def test_pages_that_could_not_be_read_keep_their_number() -> None:
    result = document_fields([None, candidates_of(GERMAN)])
    assert {field["page"] for field in result["fields"]} == {2}
    assert document_fields([]) == document_fields([None])


def test_line_items_come_from_the_table_with_such_heads() -> None:
    rows = [
        ["Pos.", "Bezeichnung", "Menge", "Einzelpreis", "MwSt.", "Betrag EUR"],
        ["1", "Lampe", "2", "1.050,00", "19 %", "2.100,00"],
        ["", "aus Messing", "", "", "", ""],
        ["2", "Stuhl", "1,5", "10,00", "7 %", "15,00"],
        ["", "", "", "", "Summe", "2.115,00"],
    ]
    result = answer(GERMAN.replace("100,00 €", "2.115,00 €"), tables=[table(rows)])
    assert [
        (item["description"], item["quantity"], item["unit_price"], item["tax_rate"], item["amount"], item["page"])
        for item in result["line_items"]
    ] == [
        ("Lampe aus Messing", "2", "1050.00", "19", "2100.00", 1),
        ("Stuhl", "1.5", "10.00", "7", "15.00", 1),
    ]


def test_lines_that_do_not_add_up_are_a_contradiction() -> None:
    rows = [["Bezeichnung", "Menge", "Betrag"], ["Lampe", "2", "90,00"]]
    messages = [warning["message"] for warning in answer(GERMAN, tables=[table(rows)])["warnings"]]
    assert messages == ["The lines make 90.00, but the net amount is 100.00. A discount or other costs may be missing."]


def test_receipt_has_its_fields_without_a_buyer() -> None:
    text = (
        "Café Sonne GmbH\nHauptstr. 1\n80331 München\nKassenbon\nBon-Nr. 1234\n12.03.2024 12:45\n2 x Kaffee   7,00\n"
        "Kuchen   4,90\nSumme EUR   11,90\nMwSt. 19 %   1,90\nBar   20,00\nRückgeld   8,10"
    )
    assert values(answer(text)) == {
        "invoice_number": "1234",
        "issue_date": "2024-03-12",
        "supplier": "Café Sonne GmbH",
        "currency": "EUR",
        "tax": "1.90",
        "total": "11.90",
    }


def test_misread_labels_and_lost_spaces_are_understood() -> None:
    text = "lnvoice\nInvoiceNumber:INV-7   lnvoice date: 4 March 2024\nTotaI due   £108.25"
    assert values(answer(text)) == {
        "invoice_number": "INV-7",
        "issue_date": "2024-03-04",
        "currency": "GBP",
        "total": "108.25",
    }


def test_page_of_many_lines_takes_bounded_time() -> None:
    row = "Total   Invoice no   12.03.2024   1.234,56 €   IBAN   MwSt 19 %   DE136695976"
    found = candidates_of("\n".join([row] * 700), INVOICE)
    assert len(found["candidates"]) < 120
