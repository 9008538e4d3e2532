"""Any ONNX graph: named tensors in, named tensors out, checked against what the file declares."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inference.contracts import Json, TensorInput, VersionSpec, WorkInput, WorkOutput, WorkRefused
from inference.runtime.artifacts import artifact
from inference.runtime.errors import ModelFailed
from inference.runtime.hosted_session import HostedSession, InvalidFeed
from inference.runtime.session_host import SessionHost
from inference.runtime.tensors import Array, TensorSpec, tensor_spec, write_tensor


@dataclass(frozen=True, slots=True)
class Signature:
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]

    def as_json(self) -> dict[str, Json]:
        return {
            "inputs": [tensor.as_json() for tensor in self.inputs],
            "outputs": [tensor.as_json() for tensor in self.outputs],
        }


class OnnxRuntime:
    session_roles = ("weights",)

    def __init__(self, host: SessionHost) -> None:
        self._host = host

    def load(self, spec: VersionSpec) -> None:
        self._host.load(artifact(spec, "weights"), _warm_up)

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json]) -> WorkOutput:
        if not isinstance(work, TensorInput):
            raise WorkRefused("input_not_accepted", "this model reads tensors, not documents or text")
        with self._host.session(artifact(spec, "weights"), _warm_up) as session:
            feeds = check_tensors(signature_of(session), work.tensors)
            try:
                answers = session.run(feeds)
            except InvalidFeed as error:
                raise WorkRefused("invalid_tensor", str(error)) from error
            names = [output.name for output in session.outputs]
        return WorkOutput({"outputs": [write_tensor(*output) for output in zip(names, answers, strict=True)]})


def read_signature(host: SessionHost, path: str | Path) -> Signature:
    """What a file declares, for its row in the registry."""
    with host.session(path) as session:
        return signature_of(session)


def signature_of(session: HostedSession) -> Signature:
    return Signature(tuple(map(tensor_spec, session.inputs)), tuple(map(tensor_spec, session.outputs)))


def check_tensors(signature: Signature, tensors: Mapping[str, Array]) -> dict[str, Array]:
    expected = {tensor.name: tensor for tensor in signature.inputs}
    if set(tensors) != set(expected):
        wanted, got = (
            ", ".join(f"'{name}'" for name in sorted(names)) or "none" for names in (expected, tensors)
        )
        raise WorkRefused("invalid_tensor", f"expected tensors {wanted}; got {got}")
    for name, tensor in tensors.items():
        expected[name].check(tensor)
    return dict(tensors)


def _warm_up(session: HostedSession) -> None:
    """One run on the smallest input; a graph that needs a larger one is warmed by its first caller."""
    feeds = {tensor.name: _smallest(tensor) for tensor in signature_of(session).inputs}
    try:
        session.run(feeds)
    except (InvalidFeed, ModelFailed):
        return


def _smallest(tensor: TensorSpec) -> Array:
    shape = [max(size, 1) for size in tensor.shape]
    if tensor.datatype == "BYTES":
        return np.full(shape, "", object)
    return np.zeros(shape, _numpy_type(tensor.datatype))


def _numpy_type(datatype: str) -> np.dtype[np.generic]:
    return np.dtype(datatype.lower().replace("fp", "float"))
