"""Lines of invoices, set in rows of pieces."""

from collections.abc import Sequence

from inference.core.contracts import Json, TextLine
from inference.fields.candidates import page_candidates
from inference.fields.document import document_fields
from inference.layout.boxes import Box
from inference.tables.table import Cell, Table

WIDTH, HEIGHT, STEP, CHARACTER = 1240.0, 1754.0, 30.0, 10.0
INVOICE: Json = {"label": "invoice", "probabilities": {"invoice": 0.98, "letter": 0.02}}
LETTER: Json = {"label": "letter", "probabilities": {"letter": 0.97, "invoice": 0.03}}

GERMAN = """Blaufeld AG
Blaufeld AG · Hafenstr. 4 · 20457 Hamburg
Keller Handel GmbH
Am Markt 3
50667 Köln

Rechnung
Rechnungsnr.: RE-2024-0815   Rechnungsdatum: 12.03.2024
Fällig am: 26.03.2024   Ihre Bestellung: 4500012345
Bezeichnung   Menge   Einzelpreis   Betrag
Lampen   2   50,00   100,00
Nettobetrag   100,00 €
zzgl. 19 % MwSt   19,00 €
Gesamtbetrag   119,00 €
IBAN: DE89 3704 0044 0532 0130 00 BIC: COBADEFF"""


def lines_of(text: str) -> list[TextLine]:
    """Return the pieces of each row, between three spaces or more, as lines at columns of their own."""
    lines = []
    for row, written in enumerate(text.splitlines()):
        left = 80.0
        for piece in filter(None, written.split("   ")):
            box = Box(left, 60 + row * STEP, left + CHARACTER * len(piece), 80 + row * STEP)
            lines.append(TextLine(piece.strip(), box.corners(), 0.99))
            left += max(260.0, CHARACTER * len(piece) + 40)
    return lines


def candidates_of(text: str, document_class: Json = INVOICE, tables: Sequence[Table] = ()) -> Json:
    return page_candidates(lines_of(text), tables, WIDTH, HEIGHT, document_class)


def answer(*texts: str, document_class: Json = INVOICE, tables: Sequence[Table] = ()) -> Json:
    return document_fields([candidates_of(text, document_class, tables) for text in texts])


def values(found: Json) -> dict[str, str]:
    return {field["name"]: field["normalized"] for field in found["fields"]}


def table(rows: Sequence[Sequence[str]]) -> Table:
    cells = tuple(
        Cell(row, column, text, Box(100.0 * column, 30.0 * row, 100.0 * column + 90, 30.0 * row + 20))
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    )
    return Table(len(rows), len(rows[0]), cells, None, 1)
