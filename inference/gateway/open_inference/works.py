"""Turn tensors into the input of a model, and its output into tensors."""

import json
from collections.abc import Mapping

import numpy as np

from inference.core.contracts import Json, TensorInput, TextInput, WorkOutput, WorkRefused
from inference.core.errors import ModelFailed
from inference.gateway.open_inference.errors import InvalidRequest
from inference.gateway.open_inference.faces import RESULT, TEXT, Face
from inference.gateway.open_inference.requests import WantedOutput
from inference.runtime.tensor_requests import validate_input
from inference.runtime.tensors import Array
from tenants.core.messages import names_in_words

MAX_NAMED = 10
"""The most names in an error message."""


def work_of(face: Face, tensors: Mapping[str, Array]) -> TextInput | TensorInput:
    """Return the work that the tensors stand for. Raises WorkRefused if they are not the tensors that the
    model takes.
    """
    if face.asked == "document":
        raise InvalidRequest(
            "This model reads documents, not tensors. Send it a document with POST /v1/jobs and the model's name."
        )
    _check_names(face, tensors)
    work = TensorInput(tensors)
    if face.asked == "tensors":
        return work
    validate_input({"inputs": [tensor.as_json() for tensor in face.inputs]}, work)
    return TextInput(tuple(tensors[TEXT].tolist()), single=face.asked == "text")


def check_wanted(face: Face, wanted: tuple[WantedOutput, ...]) -> None:
    known = [output.name for output in face.outputs]
    unknown = next((output.name for output in wanted if output.name not in known), None)
    if unknown is not None:
        raise InvalidRequest(f"This model has no output {unknown!r}; it has {', '.join(known[:MAX_NAMED])}.")


def _check_names(face: Face, tensors: Mapping[str, Array]) -> None:
    expected, got = sorted(one.name for one in face.inputs), sorted(tensors)
    if expected != got:
        raise WorkRefused(
            "invalid_tensor", f"expected the tensors {names_in_words(expected)}; got {names_in_words(got)}"
        )


def tensors_of(output: WorkOutput) -> Mapping[str, Array]:
    if output.tensors is not None:
        return output.tensors
    return {RESULT: np.array([_text(output.result)], object)}


def _text(result: Mapping[str, Json]) -> str:
    try:
        return json.dumps(result, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise ModelFailed(
            "model_output_not_finite", "the answer holds NaN or infinity, which JSON cannot say"
        ) from error
