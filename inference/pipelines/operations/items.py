"""The operation on pages whose documents say themselves what they consist of."""

from collections.abc import Mapping

from inference.core.contracts import Json, PageInput, PageItem, TextLine
from inference.pipelines.operations.operation import POSTPROCESS, Operation, always
from inference.pipelines.operations.values import BOOLEAN, JSON, LINES, PAGE, TEXT, Value, object_of
from inference.quality.warnings import picture_unread
from inference.tables.table import Cell, Table


def _run(inputs: Mapping[str, Value], settings: Mapping[str, Json]) -> Value:
    """Return the items as text, lines, blocks and tables. A block of a table names its table by its number."""
    page: PageInput = inputs["page"]
    lines: list[TextLine] = []
    blocks: list[Json] = []
    tables: list[Json] = []
    texts: list[str] = []
    for item in page.items or ():
        own = item.lines
        block: dict[str, Json] = {
            "type": item.type,
            "box": None,
            "lines": list(range(len(lines), len(lines) + len(own))),
        }
        if item.level is not None:
            block["level"] = item.level
        if item.type == "table":
            block["table"] = len(tables)
            tables.append(_table(item).as_json())
        blocks.append(block)
        lines += [TextLine(line, None, 1.0) for line in own]
        texts.append("\n".join(own))
    warnings = [picture_unread(page.unread_pictures).as_json()] if page.unread_pictures else []
    return {
        "text": "\n\n".join(texts),
        "lines": tuple(lines),
        "blocks": blocks,
        "tables": tables,
        "warnings": warnings,
        # Many pictures beside text say nothing. A page that has nothing else is to be looked at.
        "needs_review": bool(warnings) and not texts,
    }


def _table(item: PageItem) -> Table:
    cells = tuple(
        Cell(cell.row, cell.column, cell.text, None, cell.row_span, cell.column_span, 1.0, cell.header)
        for cell in item.cells
    )
    return Table(item.rows, item.columns, cells, header_rows=item.header_rows)


LAY_OUT_ITEMS = Operation(
    "lay_out_items",
    POSTPROCESS,
    gives=always(
        object_of(
            {"text": TEXT, "lines": LINES, "blocks": JSON, "tables": JSON, "warnings": JSON, "needs_review": BOOLEAN}
        )
    ),
    run=_run,
    takes={"page": PAGE},
)
