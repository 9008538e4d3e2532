"""The operations of declared steps that call no model: a fixed list, each with its input and output types."""

from collections.abc import Mapping

from inference.pipelines.operations.assessment import ASSESS
from inference.pipelines.operations.fields import PAGE_FIELDS
from inference.pipelines.operations.items import LAY_OUT_ITEMS
from inference.pipelines.operations.marks import FIND_MARKS
from inference.pipelines.operations.operation import Operation
from inference.pipelines.operations.page_classes import CLASSIFY_PAGE
from inference.pipelines.operations.pages import LAYOUT, TURN_OF_LINES, UPRIGHT_PAGE, WAY_UP
from inference.pipelines.operations.pictures import PICTURE_TENSOR
from inference.pipelines.operations.scans import JOIN_LINES, SCANNED_PARTS
from inference.pipelines.operations.scores import NEAREST_LABEL, SOFTMAX, TOP_LABELS
from inference.pipelines.operations.tables import RULES, TABLE_WARNINGS, TABLES
from inference.pipelines.operations.texts import (
    JOIN_TEXTS,
    KEEP_CONFIDENT,
    PAGE_OF_LINES,
    TEXT_OF_LINES,
    TEXT_PAGE,
)

OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation
    for operation in (
        PICTURE_TENSOR,
        UPRIGHT_PAGE,
        TURN_OF_LINES,
        WAY_UP,
        RULES,
        TABLES,
        TABLE_WARNINGS,
        LAYOUT,
        LAY_OUT_ITEMS,
        ASSESS,
        CLASSIFY_PAGE,
        PAGE_FIELDS,
        TEXT_PAGE,
        SOFTMAX,
        TOP_LABELS,
        NEAREST_LABEL,
        KEEP_CONFIDENT,
        TEXT_OF_LINES,
        JOIN_TEXTS,
        PAGE_OF_LINES,
        SCANNED_PARTS,
        JOIN_LINES,
        FIND_MARKS,
    )
}
