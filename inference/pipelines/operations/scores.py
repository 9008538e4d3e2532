"""Operations that give scores and labels: softmax, the highest scores, and the most similar examples."""

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
    whole_number,
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
    tensor_of,
)

MAX_LABELS = 10_000
FLOATS = tensor_of("FP16", "FP32", "FP64")


def _same_shape(inputs: Mapping[str, ValueType], settings: Mapping[str, Json]) -> ValueType:
    return tensor_of("FP32", shape=inputs["tensor"].shape)


def _softmax(inputs: Mapping[str, Value], settings: Mapping[str, Json]) -> Value:
    """Return the softmax along the last dimension."""
    scores = inputs["tensor"].astype(np.float32)
    # An empty list of scores has no largest score, and its result is empty.
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
    return powers / powers.sum(axis=-1, keepdims=True)


def _labels_given(inputs: Mapping[str, ValueType], settings: Mapping[str, Json]) -> ValueType:
    shape, labels = inputs["scores"].shape, len(settings["labels"])
    if shape is not None and (not shape or shape[-1] not in (-1, labels)):
        raise ValueError(f"there are {labels} labels for scores of the shape {list(shape)}")
    if settings["most"] > labels:
        raise ValueError(f"'most' is {settings['most']}, and there are {labels} labels")
    return object_of({"label": TEXT, "score": NUMBER, "top": JSON})


def _top_labels(inputs: Mapping[str, Value], settings: Mapping[str, Json]) -> Value:
    scores, labels = inputs["scores"].ravel(), settings["labels"]
    if len(scores) != len(labels):
        raise ModelFailed(
            "model_output_invalid",
            f"the model gave {len(scores)} scores, and {len(labels)} labels are declared",
        )
    best = np.argsort(-scores, kind="stable")[: settings["most"]]
    top = [{"label": labels[position], "score": round(float(scores[position]), 6)} for position in best]
    return {**top[0], "top": top}


SOFTMAX = Operation("softmax", POSTPROCESS, gives=_same_shape, run=_softmax, takes={"tensor": FLOATS})

TOP_LABELS = Operation(
    "top_labels",
    POSTPROCESS,
    gives=_labels_given,
    run=_top_labels,
    takes={"scores": FLOATS},
    settings=(
        Setting("labels", texts(MAX_LABELS), f"a list of 1 to {MAX_LABELS} texts"),
        Setting("most", whole_number(1, MAX_LABELS), f"a whole number from 1 to {MAX_LABELS}", 1),
    ),
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
    verdict = classify(vector, examples, labels, min_score=settings["min_score"], otherwise=settings["otherwise"])
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
