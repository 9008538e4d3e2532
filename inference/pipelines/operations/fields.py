"""The operation that finds what a page says about the fields of its document."""

from collections.abc import Mapping

from inference.core.contracts import Json
from inference.fields.candidates import page_candidates
from inference.pipelines.operations.operation import POSTPROCESS, Operation, always
from inference.pipelines.operations.values import JSON, LINES, NUMBER, TEXT, Value, object_of
from inference.tables.table import Table


def _run(inputs: Mapping[str, Value], settings: Mapping[str, Json]) -> Value:
    tables = [Table.of_json(table) for table in inputs["tables"]]
    return page_candidates(inputs["lines"], tables, inputs["width"], inputs["height"], inputs["class"])


PAGE_FIELDS = Operation(
    "fields",
    POSTPROCESS,
    gives=always(JSON),
    run=_run,
    takes={
        "lines": LINES,
        "tables": JSON,
        "width": NUMBER,
        "height": NUMBER,
        "class": object_of({"label": TEXT, "probabilities": JSON}),
    },
)
