"""Tests of whether a model looks at the picture of a page that has text of its own."""

import pytest

from inference.core.contracts import Json
from inference.pipelines.pipeline import DeclaredGraphs
from inference.pipelines.pixels import looks_at_picture
from tests.inference.pipelines.declarations import pipeline_spec
from tests.inference.registry.builtin.served import builtin_specs

TENSOR = {
    "name": "tensor",
    "kind": "preprocess",
    "operation": "picture_tensor",
    "inputs": {"page": "input"},
    "parameters": {"width": 8, "height": 8},
}
LOOKS: Json = {"steps": [TENSOR], "output": {"tensor": "tensor"}}
BLIND: Json = {"output": {"text": "input.text"}}


@pytest.mark.parametrize(
    ("model", "looks"), [("orient", True), ("read", True), ("ocr", True), ("embed", False), ("parse", False)]
)
def test_builtin_models(model: str, looks: bool) -> None:
    assert looks_at_picture(builtin_specs()[model], DeclaredGraphs()) == looks


@pytest.mark.parametrize(
    ("condition", "then", "otherwise", "looks"),
    [
        ({"value": "input.has_text", "is": True}, BLIND, LOOKS, False),
        ({"value": "input.has_text", "is": False}, LOOKS, BLIND, False),
        ({"value": "input.has_text", "is": False}, BLIND, LOOKS, True),
        ({"value": "input.width", "below": 100}, BLIND, LOOKS, True),
        ({"input_is": "document"}, BLIND, LOOKS, False),
        ({"input_is": "text"}, BLIND, LOOKS, True),
    ],
)
def test_only_the_sides_that_a_page_with_text_may_take_count(
    condition: Json, then: Json, otherwise: Json, looks: bool
) -> None:
    branch = {"name": "side", "kind": "branch", "if": condition, "then": then, "else": otherwise}
    graph = {"accepts": ["document", "text"], "steps": [branch], "output": {"side": "side"}}
    assert looks_at_picture(pipeline_spec(graph, str(condition) + str(then)), DeclaredGraphs()) == looks
