"""Admits or refuses an ONNX file by its bytes alone, before ONNX Runtime reads it."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import ModelProto

from inference.registry.admission.errors import ModelRefused
from inference.registry.admission.limits import AdmissionLimits
from inference.registry.admission.signature import Signature, read_signature
from inference.registry.admission.walker import check_model
from inference.registry.admission.wire import check_wire

_ORT_FORMAT_MARK = slice(4, 8)
_OTHER_FORMATS: Mapping[tuple[bytes, ...], str] = {
    (b"PK\x03\x04", b"PK\x05\x06"): "a ZIP archive, such as a PyTorch or Keras file",
    (b"\x1f\x8b",): "compressed with gzip",
    (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"): "a pickled Python object",
    (b"\x89HDF",): "an HDF5 file",
    (b"\x93NUMPY",): "a NumPy array",
}


def admit(path: Path, limits: AdmissionLimits) -> Signature:
    """Return the signature of the model. For any bytes, this raises ModelRefused or nothing."""
    data = _read(path, limits.max_file_bytes)
    if not data:
        raise ModelRefused("model_empty", "The file is empty.")
    # A valid ONNX model can carry the mark by which ONNX Runtime recognizes its own format. It would then be read as
    # something that this package has not checked.
    if data[_ORT_FORMAT_MARK] == b"ORTM":
        raise ModelRefused("model_corrupt", "The file is in the ONNX Runtime format. Upload the ONNX file.")
    _refuse_other_formats(data)
    check_wire(data, limits)
    model = _parse(data)
    check_model(model, limits)
    return read_signature(model.graph, limits)


def _refuse_other_formats(data: bytes) -> None:
    """Name the format of a file that people take for an ONNX model."""
    for marks, format_name in _OTHER_FORMATS.items():
        if data.startswith(marks):
            raise ModelRefused("model_corrupt", f"The file is {format_name}, not an ONNX model.")
    if data[_ORT_FORMAT_MARK] == b"TFL3":
        raise ModelRefused("model_corrupt", "The file is a TensorFlow Lite model, not an ONNX model.")


def _read(path: Path, max_bytes: int) -> bytes:
    try:
        # Without O_NONBLOCK, opening a named pipe would wait for its writer.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ModelRefused("model_unreadable", f"'{path.name}' is not a file.")
            if status.st_size > max_bytes:
                raise ModelRefused(
                    "model_too_large",
                    f"The file has {status.st_size} bytes, but at most {max_bytes} are allowed.",
                )
            return file.read(max_bytes)
    except OSError as error:
        raise ModelRefused("model_unreadable", f"'{path.name}' cannot be read: {error.strerror}.") from error


def _parse(data: bytes) -> ModelProto:
    try:
        model: ModelProto = ModelProto.FromString(data)
    except DecodeError as error:
        raise ModelRefused("model_corrupt", f"Not a valid ONNX file: {error}.") from error
    if not model.graph.node or not model.graph.output:
        raise ModelRefused("model_empty", "The model has no nodes or no outputs.")
    return model
