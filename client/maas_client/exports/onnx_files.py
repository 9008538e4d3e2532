"""ONNX files whose weights lie in files beside them, merged into one file."""

from pathlib import Path

import onnx

from maas_client.exports.errors import CannotExport

MAX_BYTES = 2**31 - 1
"""The most bytes that a single ONNX file can hold, because it is one protobuf message."""


def merged(source: Path, to: Path) -> Path:
    """Write the graph with all its weights to `to`."""
    try:
        model = onnx.load(source)
    except Exception as error:  # protobuf, onnx's checks of paths, and the file system each raise their own
        raise CannotExport(f"{source.name} cannot be read as an ONNX file: {error}") from error
    if model.ByteSize() > MAX_BYTES:
        raise CannotExport(
            f"{source.name} has {model.ByteSize():,} bytes with its external data, and one ONNX file can hold "
            f"{MAX_BYTES:,}. Export it in fp16."
        )
    onnx.save(model, to)
    return to
