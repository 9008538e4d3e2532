from collections.abc import Sequence

import numpy as np
import pytest

from inference.core.contracts import Json, TensorInput, TextInput, WorkOutput, WorkRefused
from inference.core.errors import ModelFailed
from inference.gateway.open_inference.descriptions import index_entry, model_configuration, model_metadata
from inference.gateway.open_inference.errors import InvalidRequest
from inference.gateway.open_inference.faces import Face, face_of
from inference.gateway.open_inference.requests import WantedOutput
from inference.gateway.open_inference.works import check_wanted, tensors_of, work_of
from inference.registry.builtin.catalog import EMBED, OCR, PARSE
from inference.runtime.parameters import interface_of
from inference.runtime.tensors import Array

ADDER = {
    "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 2]}],
    "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 2]}],
}
GRAPH = face_of("onnx", ["tensors"], ADDER)
EMBEDS = face_of("embed", interface_of("embed").accepts, EMBED.signature)
PARSES = face_of(PARSE.runtime, PARSE.accepts, PARSE.signature)
READS = face_of(OCR.runtime, OCR.accepts, OCR.signature)


def test_an_output_whose_shape_the_file_leaves_open_has_an_empty_one() -> None:
    outputs = [{"name": "y", "datatype": "FP32", "shape": None}]
    face = face_of("onnx", ["tensors"], {"inputs": ADDER["inputs"], "outputs": outputs})
    assert model_metadata("m", [1], face)["outputs"][0]["shape"] == []


def shown(face: Face) -> tuple[list[Json], list[Json]]:
    said = model_metadata("m", [1], face)
    return (
        [[one["name"], one["datatype"], one["shape"]] for one in said["inputs"]],
        [[one["name"], one["datatype"], one["shape"]] for one in said["outputs"]],
    )


@pytest.mark.parametrize(
    ("face", "inputs", "outputs"),
    [
        (GRAPH, [["x", "FP32", [-1, 2]]], [["y", "FP32", [-1, 2]]]),
        (EMBEDS, [["text", "BYTES", [-1]]], [["embedding", "FP32", [-1, 384]]]),
        (PARSES, [["text", "BYTES", [1]]], [["result", "BYTES", [1]]]),
        (face_of("graph", ["texts"], {}), [["text", "BYTES", [-1]]], [["result", "BYTES", [1]]]),
        (face_of("graph", ["tensors"], ADDER), [["x", "FP32", [-1, 2]]], [["result", "BYTES", [1]]]),
        (READS, [], []),
    ],
)
def test_every_kind_of_model_has_a_face(face: Face, inputs: Json, outputs: Json) -> None:
    assert shown(face) == (inputs, outputs)


def test_metadata_and_configuration_name_versions_and_types_as_clients_expect_them() -> None:
    said = model_metadata("embed", [1, 3], EMBEDS)
    assert (said["versions"], said["platform"]) == (["1", "3"], "maas_embed")
    assert model_configuration("adder", [1, 3], GRAPH) == {
        "name": "adder",
        "platform": "onnxruntime_onnx",
        "version_policy": {"specific": {"versions": [1, 3]}},
        "max_batch_size": 0,
        "input": [{"name": "x", "data_type": "TYPE_FP32", "dims": [-1, 2]}],
        "output": [{"name": "y", "data_type": "TYPE_FP32", "dims": [-1, 2]}],
    }
    assert model_configuration("e", [1], EMBEDS)["input"][0]["data_type"] == "TYPE_STRING"


def test_the_index_says_why_a_model_does_not_answer_here() -> None:
    assert index_entry("a", 2, GRAPH, paused=False) == {"name": "a", "version": "2", "state": "READY"}
    paused = index_entry("a", 2, GRAPH, paused=True)
    assert (paused["state"], paused["reason"]) == ("UNAVAILABLE", "paused by the operator")
    assert "POST /v1/jobs" in index_entry("ocr", 1, READS, paused=False)["reason"]


def texts(*values: str) -> Array:
    return np.array(values, object)


def test_tensors_become_what_the_model_is_asked() -> None:
    assert work_of(EMBEDS, {"text": texts("a", "b")}) == TextInput(("a", "b"), single=False)
    assert work_of(PARSES, {"text": texts("a")}) == TextInput(("a",), single=True)
    given = {"x": np.zeros((1, 2), np.float32)}
    assert work_of(GRAPH, given) == TensorInput(given)


@pytest.mark.parametrize(
    ("face", "tensors", "words"),
    [
        (EMBEDS, {"texts": texts("a")}, "expected the tensors"),
        (EMBEDS, {"text": np.zeros(1, np.float32)}, "'text' must be BYTES, not FP32"),
        (EMBEDS, {"text": texts("a").reshape(1, 1)}, r"must have shape \[-1\], not \[1, 1\]"),
        (PARSES, {"text": texts("a", "b")}, r"must have shape \[1\], not \[2\]"),
    ],
)
def test_tensors_that_are_not_the_models_are_refused(face: Face, tensors: dict[str, Array], words: str) -> None:
    with pytest.raises(WorkRefused, match=words):
        work_of(face, tensors)


def test_a_model_of_documents_names_the_way_for_them() -> None:
    with pytest.raises(InvalidRequest, match="POST /v1/jobs"):
        work_of(READS, {})


@pytest.mark.parametrize("names", [["y"], []])
def test_known_outputs_may_be_wanted(names: Sequence[str]) -> None:
    check_wanted(GRAPH, tuple(WantedOutput(name, binary=True) for name in names))


def test_an_unknown_output_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidRequest, match="no output 'z'; it has y"):
        check_wanted(GRAPH, (WantedOutput("z", binary=True),))


def test_answers_become_tensors() -> None:
    given = {"y": np.ones(2, np.float32)}
    assert tensors_of(WorkOutput({}, tensors=given)) is given
    result = tensors_of(WorkOutput({"text": "ä"}))["result"]
    assert result.tolist() == ['{"text":"ä"}']


def test_a_result_that_json_cannot_say_fails_the_model() -> None:
    with pytest.raises(ModelFailed, match="NaN or infinity"):
        tensors_of(WorkOutput({"score": float("nan")}))
