"""The operation that says what kind of document a page belongs to."""

from collections.abc import Mapping

from inference.classes.page_class import class_of
from inference.core.contracts import Json
from inference.pipelines.operations.operation import POSTPROCESS, Operation, always
from inference.pipelines.operations.values import JSON, LINES, NUMBER, TEXT, Value, object_of


def _run(inputs: Mapping[str, Value], settings: Mapping[str, Json]) -> Value:
    found = class_of(inputs["text"], inputs["blocks"], inputs["lines"], inputs["width"], inputs["height"])
    return {
        "label": found.label,
        "probabilities": {label: round(share, 4) for label, share in found.probabilities.items()},
    }


CLASSIFY_PAGE = Operation(
    "classify_page",
    POSTPROCESS,
    gives=always(object_of({"label": TEXT, "probabilities": JSON})),
    run=_run,
    takes={"text": TEXT, "blocks": JSON, "lines": LINES, "width": NUMBER, "height": NUMBER},
)
