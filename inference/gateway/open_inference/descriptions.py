"""Write how the server and its models describe themselves."""

from collections.abc import Sequence

from inference.core.contracts import Json
from inference.gateway.open_inference.faces import Face
from inference.runtime.tensors import TensorSpec

NAME = "maas"
VERSION = "1"
"""The version of the interface, as `/v1` counts it."""
EXTENSIONS = ("binary_tensor_data", "model_configuration", "model_repository", "parameters", "statistics")


def server_metadata() -> Json:
    return {"name": NAME, "version": VERSION, "extensions": list(EXTENSIONS)}


def model_metadata(model: str, versions: Sequence[int], face: Face) -> Json:
    return {
        "name": model,
        "versions": [str(number) for number in versions],
        "platform": face.platform,
        "inputs": [tensor.as_json() for tensor in face.inputs],
        "outputs": [tensor.as_json() for tensor in face.outputs],
    }


def model_configuration(model: str, versions: Sequence[int], face: Face) -> Json:
    """Return the part of Triton's model configuration that is true here. `max_batch_size` is 0, because batches are
    formed from the rows of several callers and models do not declare them.
    """
    return {
        "name": model,
        "platform": face.platform,
        "version_policy": {"specific": {"versions": list(versions)}},
        "max_batch_size": 0,
        "input": [_configured(tensor) for tensor in face.inputs],
        "output": [_configured(tensor) for tensor in face.outputs],
    }


def _configured(tensor: TensorSpec) -> Json:
    datatype = "STRING" if tensor.datatype == "BYTES" else tensor.datatype
    return {"name": tensor.name, "data_type": f"TYPE_{datatype}", "dims": list(tensor.shape)}


def index_entry(model: str, number: int, face: Face, *, paused: bool) -> Json:
    entry = {"name": model, "version": str(number), "state": "UNAVAILABLE" if paused else "READY"}
    if paused:
        return {**entry, "reason": "paused by the operator"}
    if face.asked == "document":
        return {**entry, "reason": "reads documents, which POST /v1/jobs takes"}
    return entry
