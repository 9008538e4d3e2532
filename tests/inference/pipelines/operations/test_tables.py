"""Tests of the warnings about tables."""

from inference.layout.boxes import Box
from inference.pipelines.operations.tables import MAX_WARNINGS, TABLE_WARNINGS
from inference.tables.table import Cell, Table


def as_json(confidence: float) -> object:
    cells = (Cell(0, 0, "Dover", Box(0, 0, 80, 20), confidence=confidence), Cell(0, 1, "12", Box(90, 0, 170, 20)))
    return Table(1, 2, cells, Box(0, 0, 200, 20)).as_json()


def test_doubtful_tables_have_a_warning_with_their_box_behind_those_of_the_page() -> None:
    given = {"tables": [as_json(0.4), as_json(0.95)], "warnings": [{"code": "cut_off", "message": "Cut."}]}
    first, second = TABLE_WARNINGS.run(given, {})
    assert first == {"code": "cut_off", "message": "Cut."}
    assert second["code"] == "doubtful_table"
    assert second["box"] == [[0, 0], [200, 0], [200, 20], [0, 20]]


def test_the_warnings_of_a_page_are_bounded() -> None:
    given = {"tables": [as_json(0.4)] * (3 * MAX_WARNINGS), "warnings": []}
    assert len(TABLE_WARNINGS.run(given, {})) == MAX_WARNINGS
