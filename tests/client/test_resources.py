"""Tests of the objects that the client makes of responses."""

from datetime import UTC, datetime
from typing import Any

from maas_client import Block, Cell, Classification, Code, Correction, Mark, Page, PageWarning, Pair, Table

PAGE: dict[str, Any] = {
    "number": 1,
    "state": "succeeded",
    "error": None,
    "attempts": 1,
    "cost": {"amount": "0.001", "amount_micros": 1000, "currency": "EUR"},
}
BOX = [[1, 2], [31, 2], [31, 12], [1, 12]]
CORNERS = ((1, 2), (31, 2), (31, 12), (1, 12))
READ = {
    "blocks": [{"type": "heading", "level": 1, "box": BOX, "lines": [0]}, {"type": "list", "box": None, "lines": []}],
    "quality": 0.4,
    "needs_review": True,
    "warnings": [{"code": "low_confidence", "message": "Check it.", "box": BOX}, {"code": "blank", "message": "None."}],
    "codes": [
        {"symbology": "qr", "text": "hello", "box": BOX},
        {"symbology": "aztec", "text": "", "base64": "AAH/", "box": BOX},
    ],
    "marks": [{"label": "Yes", "checked": True, "box": BOX}],
    "pairs": [{"key": "Name", "key_box": None, "value": "Anna", "value_box": BOX, "confidence": 1.0}],
    "rotation": 90,
    "angle": -1.2,
    "class": {"label": "invoice", "probabilities": {"invoice": 1.0}},
    "corrections": [
        {"kind": "class", "index": None, "original": "invoice", "corrected": "letter", "author": "anna@example.com",
         "created_at": "2026-11-20T11:09:12.106215Z"}
    ],
}  # fmt: skip


def test_a_page_has_typed_fields() -> None:
    page = Page.from_json({**PAGE, **READ})
    assert page.blocks == (Block("heading", 1, CORNERS, (0,)), Block("list", None, None, ()))
    assert (page.quality, page.needs_review, page.rotation, page.angle) == (0.4, True, 90, -1.2)
    assert page.warnings == (
        PageWarning("low_confidence", "Check it.", CORNERS),
        PageWarning("blank", "None.", None),
    )
    assert page.codes == (Code("qr", "hello", None, CORNERS), Code("aztec", "", b"\x00\x01\xff", CORNERS))
    assert page.marks == (Mark("Yes", True, CORNERS),)
    assert page.pairs == (Pair("Name", "Anna", None, CORNERS, 1.0),)
    assert (page.page_class, page.label) == (Classification("invoice", {"invoice": 1.0}), "invoice")
    at = datetime(2026, 11, 20, 11, 9, 12, 106215, UTC)
    assert page.corrections == (Correction("class", None, "invoice", "letter", "anna@example.com", at),)


def test_a_page_of_another_model_has_none_of_them() -> None:
    page = Page.from_json(PAGE)
    assert (page.blocks, page.warnings, page.corrections) == ((), (), ())
    assert (page.codes, page.marks, page.pairs) == ((), (), ())
    assert (page.quality, page.needs_review, page.rotation, page.angle) == (None, False, 0, 0.0)
    assert (page.page_class, page.label) == (None, None)


def test_tables_have_their_cells_and_become_csv() -> None:
    shape = {"row_span": 1, "column_span": 1, "box": BOX, "confidence": 0.9, "header": False}
    cells = [{"row": 0, "column": 1, "text": "=1+1", **shape}, {"row": 1, "column": 0, "text": "-5,3", **shape}]
    table = {"rows": 2, "columns": 2, "header_rows": 0, "continues": True, "box": None, "cells": cells}
    (found,) = Page.from_json({**PAGE, "tables": [table]}).tables
    assert isinstance(found, Table)
    assert (found.continues, found.cells[0]) == (True, Cell(0, 1, 1, 1, "=1+1", CORNERS, 0.9, False))
    assert found.to_csv() == ',\'=1+1\r\n"-5,3",\r\n'
