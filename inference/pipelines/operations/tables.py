"""Operations for tables: find the rules of a page, and the tables that its lines and rules form."""

from collections.abc import Iterator, Mapping, Sequence

from inference.core.contracts import Box as Sides
from inference.core.contracts import Json, PageInput, TextLine
from inference.layout.boxes import Box
from inference.pictures.rules import find_rules
from inference.pipelines.operations.operation import POSTPROCESS, PREPROCESS, Operation, always
from inference.pipelines.operations.values import JSON, LINES, PAGE, Value
from inference.quality.warnings import Warning
from inference.tables.doubt import is_doubtful
from inference.tables.page_tables import find_tables
from inference.tables.table import Table

Values = Mapping[str, Value]

MAX_WARNINGS = 10
"""The most doubtful tables of a page that have a warning of their own."""


def _rules(inputs: Values, settings: Mapping[str, Json]) -> Value:
    """Return the rules that the page's file draws, and those on its picture where the page was scanned."""
    page: PageInput = inputs["page"]
    found = list(page.rules)
    if page.load_pixels is not None and (page.text_lines is None or page.scans):
        seen = find_rules(page.load_pixels())
        found += seen if page.text_lines is None else _within(seen, page.scans)
    return [list(rule) for rule in found]


def _within(rules: Sequence[Sides], scans: Sequence[Sides]) -> Iterator[Sides]:
    for rule in rules:
        x, y = (rule[0] + rule[2]) / 2, (rule[1] + rule[3]) / 2
        if any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in scans):
            yield rule


def _tables(inputs: Values, settings: Mapping[str, Json]) -> Value:
    lines: Sequence[TextLine] = inputs["lines"]
    rules = [Box(*rule) for rule in inputs["rules"]]
    return [table.as_json() for table in find_tables(lines, rules)]


def _table_warnings(inputs: Values, settings: Mapping[str, Json]) -> Value:
    """Return the warnings of a page, and one for each table that is doubtful."""
    doubtful = [table for table in map(Table.of_json, inputs["tables"]) if is_doubtful(table)]
    return [*inputs["warnings"], *(_doubt(table).as_json() for table in doubtful[:MAX_WARNINGS])]


def _doubt(table: Table) -> Warning:
    message = "A table is doubtful: it may be none, or its cells may be divided wrong. Compare it with the picture."
    return Warning("doubtful_table", message, table.box.corners() if table.box else None)


RULES = Operation("rules", PREPROCESS, gives=always(JSON), run=_rules, takes={"page": PAGE})

TABLES = Operation("tables", POSTPROCESS, gives=always(JSON), run=_tables, takes={"lines": LINES, "rules": JSON})

TABLE_WARNINGS = Operation(
    "table_warnings",
    POSTPROCESS,
    gives=always(JSON),
    run=_table_warnings,
    takes={"tables": JSON, "warnings": JSON},
)
