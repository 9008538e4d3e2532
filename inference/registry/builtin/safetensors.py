"""A reader of the safetensors format: a length, a JSON header, then the bytes of the tensors."""

import json
import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Tensors = Mapping[str, npt.NDArray[Any]]

_DTYPES = {"F32": np.float32, "F16": np.float16, "I64": np.int64}


def read_safetensors(path: Path) -> Tensors:
    """Return views into the mapped file. The file stays open as long as any of them exists."""
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header_end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:header_end])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        flat = np.frombuffer(
            memoryview(content)[header_end + begin : header_end + end], _DTYPES[entry["dtype"]]
        )
        tensors[name] = flat.reshape(entry["shape"])
    return tensors
