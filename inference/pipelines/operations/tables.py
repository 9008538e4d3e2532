"""Operations for tables: find the rules of a page, and the tables that its lines and rules form."""

from collections.abc import Iterator, Mapping, Sequence

from inference.core.contracts import Box as Sides
from inference.core.contracts import Json, PageInput, TextLine
from inference.layout.boxes import Box
from inference.pictures.rules import find_rules
from inference.pipelines.operations.operation import POSTPROCESS, PREPROCESS, Operation, always
from inference.pipelines.operations.values import JSON, LINES, PAGE, Value
from inference.tables.page_tables import find_tables

Values = Mapping[str, Value]


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


RULES = Operation("rules", PREPROCESS, gives=always(JSON), run=_rules, takes={"page": PAGE})

TABLES = Operation("tables", POSTPROCESS, gives=always(JSON), run=_tables, takes={"lines": LINES, "rules": JSON})
