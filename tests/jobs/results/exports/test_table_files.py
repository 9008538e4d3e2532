"""Test that a job's tables come as CSV and as a workbook, joined over pages."""

import io
import json
from typing import Any

import pytest
from openpyxl import load_workbook

from jobs.core.models import Job
from jobs.results.exports import joined_tables, workbook
from jobs.results.exports.export_slots import ExportTooLarge, NoTables
from jobs.results.exports.services import CSV, JSON, XLSX
from tests.jobs.results.exports.conftest import HEIGHT, WIDTH, ReadingDesk, box, line

Cells = list[dict[str, Any]]


def cell(row: int, column: int, text: str, **more: Any) -> dict[str, Any]:
    corners = box(100 + 200 * column, 100 + 50 * row, 150)
    given = {"row": row, "column": column, "row_span": 1, "column_span": 1, "text": text, "box": corners}
    return {**given, "confidence": 0.9, "header": False, **more}


def table(*rows: tuple[str, ...], headers: int = 1) -> dict[str, Any]:
    cells = [
        cell(row, column, text, header=row < headers)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    ]
    shape = {"rows": len(rows), "columns": len(rows[0]), "header_rows": headers}
    return {"box": box(100, 100, 600, 300), **shape, "continues": False, "cells": cells}


def page(*tables: dict[str, Any], above: str = "") -> dict[str, Any]:
    """Make the result of a page with tables, below a line of text if `above` is one."""
    lines = [line(above or "Page 1", box(0, 0, 200)), line("1", box(0, 900, 20))]
    blocks = [
        {"type": "paragraph" if above else "header", "level": None, "box": None, "lines": [0]},
        *({"type": "table", "level": None, "box": None, "lines": [], "table": i} for i in range(len(tables))),
        {"type": "page_number", "level": None, "box": None, "lines": [1]},
    ]
    return {"text": "x", "lines": lines, "blocks": blocks, "tables": list(tables), "width": WIDTH, "height": HEIGHT}


HEADER = ("Item", "Count", "Price")


@pytest.fixture
def job(desk: ReadingDesk) -> Job:
    """Make a job whose table goes on over three pages, with its header again on the second, and another table."""
    job = desk.submit(pages=3)
    desk.answer(job, 1, page(table(HEADER, ("Nuts", "2", "1.20")), above="Order"))
    desk.answer(job, 2, page(table(HEADER, ("=1+1", "-3", "1.234"))))
    desk.answer(job, 3, page(table(("Bolts", "5", "-3,10"), headers=0), table(("Sum", "9", "€"), ("a", "1", "2"))))
    return job


def test_csv_has_each_table_once_over_its_pages(desk: ReadingDesk, job: Job) -> None:
    assert desk.exported(job, CSV).decode("utf-8-sig").split("\r\n") == [
        "Item,Count,Price",
        "Nuts,2,1.20",
        "'=1+1,-3,1.234",
        'Bolts,5,"-3,10"',
        "",
        "Sum,9,€",
        "a,1,2",
        "",
    ]


def test_a_workbook_has_a_sheet_for_each_table_with_numbers_as_numbers(desk: ReadingDesk, job: Job) -> None:
    book = load_workbook(io.BytesIO(desk.exported(job, XLSX)))
    assert book.sheetnames == ["Page 1 table 1", "Page 3 table 2"]
    sheet = book["Page 1 table 1"]
    assert [list(row) for row in sheet.values] == [
        ["Item", "Count", "Price"],
        ["Nuts", 2, 1.2],
        ["=1+1", -3, "1.234"],
        ["Bolts", 5, -3.1],
    ]
    assert sheet["A3"].data_type == "s"
    assert (sheet["A1"].font.bold, sheet["A2"].font.bold, sheet["C2"].number_format) == (True, False, "0.00")


def test_cells_that_span_places_are_merged(desk: ReadingDesk) -> None:
    job = desk.submit()
    spanned = table(("Sums", "", "Notes"), ("a", "1", "2"))
    spanned["cells"] = [
        cell(0, 0, "Sums", column_span=2, header=True),
        cell(0, 2, "Notes", row_span=2),
        cell(1, 0, "a"),
    ]
    desk.answer(job, 1, page(spanned))
    sheet = load_workbook(io.BytesIO(desk.exported(job, XLSX))).active
    assert sorted(map(str, sheet.merged_cells.ranges)) == ["A1:B1", "C1:C2"]
    assert desk.exported(job, CSV).decode("utf-8-sig") == "Sums,,Notes\r\na,,\r\n"


def test_json_says_which_table_goes_on(desk: ReadingDesk, job: Job) -> None:
    pages = json.loads(desk.exported(job, JSON))["pages"]
    assert [[one["continues"] for one in found["tables"]] for found in pages] == [[False], [True], [True, False]]
    (second, _) = json.loads(desk.exported(job, JSON, "2-3"))["pages"]
    assert second["tables"][0]["continues"]


@pytest.mark.parametrize("format_", [CSV, XLSX])
def test_a_job_without_tables_is_refused(desk: ReadingDesk, partial_job: Job, format_: Any) -> None:
    with pytest.raises(NoTables) as refused:
        desk.exported(partial_job, format_)
    assert refused.value.detail == "No table was found in this job. Pages 2 and 4 of 4 are missing."


def test_tables_that_make_no_sense_count_as_none(desk: ReadingDesk) -> None:
    job = desk.submit()
    huge = {**table(("a", "b"), ("c", "d")), "rows": 10**9}
    outside = {**table(("a", "b"), ("c", "d")), "cells": [cell(7, 0, "x")]}
    desk.answer(job, 1, page(huge, outside, {"rows": "many"}))
    with pytest.raises(NoTables):
        desk.exported(job, CSV)


def test_what_is_too_large_is_refused(desk: ReadingDesk, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MAX_CELLS", 8)
    with pytest.raises(ExportTooLarge) as refused:
        desk.exported(job, XLSX)
    assert refused.value.detail == (
        "The tables of these pages have more than 8 cells. Use CSV, or request a part, for example ?pages=1-1."
    )
    monkeypatch.setattr(joined_tables, "MAX_PLACES", 8)
    with pytest.raises(ExportTooLarge):
        desk.exported(job, CSV)
