import pytest

from inference.core.contracts import TextLine
from inference.fields.labels.finding import Label, find_labels, language_of
from inference.fields.page_text import page_text


def labels_of(*texts: str) -> list[tuple[str, str]]:
    """Return the labels, each with what follows it in its piece."""
    page = page_text([TextLine(text, None, None) for text in texts], None, None)
    return [_shown(label) for labels in find_labels(page.pieces).values() for label in labels]


def _shown(label: Label) -> tuple[str, str]:
    return label.piece.text[label.start : label.end], label.piece.text[label.value_start :]


@pytest.mark.parametrize(
    ("text", "label", "value"),
    [
        ("Rechnungs-Nr.: 4711", "Rechnungs-Nr", "4711"),
        ("N° de facture : FA-1", "N° de facture", "FA-1"),
        ("Factura n.º 12", "Factura n.º", "12"),
        ("lnvoiceNumber:4711", "lnvoiceNumber", "4711"),
        ("Fatura numero: 7", "Fatura numero", "7"),
        ("Total incl. VAT 12.00", "Total incl. VAT", "12.00"),
        ("Invoice # INV 1203", "Invoice", "INV 1203"),
    ],
)
def test_label_and_what_follows_it(text: str, label: str, value: str) -> None:
    assert labels_of(text)[0] == (label, value)


def test_several_labels_in_a_line() -> None:
    found = labels_of("Rechnung Nr. 12 vom 12.03.2024")
    assert [label for label, _ in found] == ["Rechnung Nr", "vom"]


def test_short_words_are_labels_only_alone_or_before_a_colon() -> None:
    assert labels_of("To", "an:", "to the river", "an apple") == [("To", ""), ("an", "")]


def test_numbers_that_begin_with_letters_keep_them() -> None:
    assert labels_of("Receipt no. A096327")[0] == ("Receipt no", "A096327")


def test_words_of_other_meaning_are_no_labels() -> None:
    assert labels_of("The quick brown fox", "Mill Road 12") == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Rechnungsnummer", "de"),
        ("Date d'échéance", "fr"),
        ("Fecha de vencimiento", "es"),
        ("Totale documento", "it"),
        ("Vervaldatum", "nl"),
        ("Amount due", "en"),
    ],
)
def test_language_is_that_of_the_labels(text: str, language: str) -> None:
    page = page_text([TextLine(text, None, None)], None, None)
    assert language_of(find_labels(page.pieces).values()) == language


def test_language_of_nothing_is_unknown() -> None:
    assert language_of([]) is None


def test_dots_part_a_line_into_pieces_with_their_own_boxes() -> None:
    box = ((0.0, 0.0), (300.0, 0.0), (300.0, 20.0), (0.0, 20.0))
    page = page_text([TextLine("Total ........ 12.00", box, 0.9)], 400, 400)
    assert [piece.text for piece in page.pieces] == ["Total", "12.00"]
    left, right = (piece.box for piece in page.pieces)
    assert 0 == left.left < left.right < right.left < right.right
    assert round(right.right) == 300
