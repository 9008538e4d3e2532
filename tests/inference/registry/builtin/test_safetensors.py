import json
from pathlib import Path

import numpy as np

from inference.registry.builtin.safetensors import read_safetensors


def test_tensors_come_back_with_their_shape_and_type(tmp_path: Path) -> None:
    floats = np.arange(6, dtype=np.float32).reshape(2, 3)
    numbers = np.array([1, -2], np.int64)
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "floats": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
            "numbers": {"dtype": "I64", "shape": [2], "data_offsets": [24, 40]},
        }
    ).encode()
    path = tmp_path / "weights.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + floats.tobytes() + numbers.tobytes())
    tensors = read_safetensors(path)
    assert set(tensors) == {"floats", "numbers"}
    assert np.array_equal(tensors["floats"], floats)
    assert np.array_equal(tensors["numbers"], numbers)
