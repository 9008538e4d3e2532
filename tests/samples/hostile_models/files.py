"""Files that are no models, or that are in another format."""

import gzip
import io
import pickle
import struct
import zipfile
from collections.abc import Mapping
from typing import Any

from tests.samples.hostile_models.building import SCRIPT, HostileModel, of_text


def zip_bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.onnx", bytes(200_000_000))
    return out.getvalue()


def torch_checkpoint() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"weight": [1.0]}))
        archive.writestr("archive/version", "3")
    return out.getvalue()


class _RunsACommand:
    def __reduce__(self) -> tuple[Any, ...]:
        return print, ("A pickled model was run.",)


NO_MODELS: Mapping[str, HostileModel] = {
    "noise": HostileModel(lambda: bytes(range(256)) * 40),
    "truncated": HostileModel(lambda: of_text("g (float[n] x) => (float[n] y) { y = Relu(x) }")[:-9]),
    "zip bomb": HostileModel(zip_bomb),
    "PyTorch checkpoint": HostileModel(torch_checkpoint),
    "gzip": HostileModel(lambda: gzip.compress(of_text("g (float[n] x) => (float[n] y) { y = Relu(x) }"))),
    "pickle": HostileModel(lambda: pickle.dumps(_RunsACommand())),
    "safetensors": HostileModel(lambda: struct.pack("<Q", 17) + b'{"__metadata__":{' + bytes(40)),
    "HDF5": HostileModel(lambda: b"\x89HDF\r\n\x1a\n" + bytes(500)),
    "TensorFlow Lite": HostileModel(lambda: b"\x1c\0\0\0TFL3" + bytes(500)),
    "ONNX Runtime format": HostileModel(lambda: b"\x1c\0\0\0ORTM" + bytes(500)),
    "web page": HostileModel(f"<!doctype html><title>{SCRIPT}</title>".encode),
}
