"""The operation that finds the label whose examples are most similar to a text."""

from collections.abc import Mapping

import numpy as np

from inference.core.contracts import Json
from inference.core.errors import ModelFailed
from inference.pipelines.operations.classification import classify
from inference.pipelines.operations.operation import (
    POSTPROCESS,
    Operation,
    Setting,
    number,
    text,
    texts,
)
from inference.pipelines.operations.values import (
    JSON,
    NUMBER,
    TEXT,
    VECTOR,
    VECTORS,
    Value,
    ValueType,
    object_of,
)

MAX_EXAMPLES = 2048


def _gives(inputs: Mapping[str, ValueType], settings: Mapping[str, Json]) -> ValueType:
    return object_of({"label": TEXT, "score": NUMBER, "scores": JSON})


def _nearest(inputs: Mapping[str, Value], settings: Mapping[str, Json]) -> Value:
    vector = np.array(inputs["vector"].vector, np.float32)
    examples, labels = inputs["examples"], settings["labels"]
    if examples.shape != (len(labels), len(vector)):
        raise ModelFailed(
            "model_output_invalid",
            f"{len(labels)} labels are declared for vectors of {len(vector)} numbers, and the examples have the shape "
            f"{list(examples.shape)}",
        )
    verdict = classify(
        vector, examples, labels, min_score=settings["min_score"], otherwise=settings["otherwise"]
    )
    return {
        "label": verdict.label,
        "score": round(verdict.score, 4),
        "scores": {label: round(score, 4) for label, score in verdict.scores.items()},
    }


NEAREST_LABEL = Operation(
    "nearest_label",
    POSTPROCESS,
    gives=_gives,
    run=_nearest,
    takes={"vector": VECTOR, "examples": VECTORS},
    settings=(
        Setting("labels", texts(MAX_EXAMPLES), f"a list of 1 to {MAX_EXAMPLES} texts, one for each example"),
        Setting("min_score", number(-1, 1), "a number from -1 to 1", -1),
        Setting("otherwise", text, "a text", ""),
    ),
)
