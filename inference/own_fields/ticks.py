"""Answers that are given by tick boxes."""

from inference.fields.labels.finding import Label
from inference.fields.page_text import Piece
from inference.own_fields.candidates import Found
from inference.own_fields.page import Mark, Part, Sheet, letters_of
from inference.own_fields.values import answer_of

MIN_LETTERS = 4


def ticked(sheet: Sheet, label: Label) -> Found | None:
    """Return the answer of the tick boxes beside a label, or of the one whose label it is, or None."""
    box = label.piece.box
    row = [mark for mark in sheet.marks if mark.box.shares_height(box) >= 0.5]
    own = [mark for mark in row if _is_same(mark.label, label)]
    if own:
        return _found(sheet, own[0], "yes" if own[0].checked else "no", label)
    answers = [(mark, answer_of(mark.label.strip())) for mark in row if mark.box.left >= box.left]
    ticked_ones = [(mark, answer) for mark, answer in answers if mark.checked and answer]
    return _found(sheet, ticked_ones[0][0], ticked_ones[0][1], label) if len(ticked_ones) == 1 else None


def _is_same(text: str, label: Label) -> bool:
    """Return whether the label of a tick box is a label of a field, or begins with it."""
    printed, letters = letters_of(label.piece.text[label.start : label.end]), letters_of(text)
    return letters == printed or (len(printed) >= MIN_LETTERS and letters.startswith(printed))


def _found(sheet: Sheet, mark: Mark, answer: str | None, label: Label) -> Found:
    piece = Piece(label.piece.line, 0, answer or "", mark.box, 1.0)
    quote = sheet.text.lines[label.piece.line]
    printed = label.piece.text[label.start : label.end]
    return Found(sheet.number, (Part(piece, 0, len(piece.text)),), answer, 0.95, (quote,), (), printed)
