import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from inference.registry.builtin.catalog import EMBED_PACKAGE
from inference.registry.builtin.installed import package_file
from inference.registry.builtin.minilm_export import (
    ExportFailed,
    check_against_reference,
    export_minilm,
    minilm_graph,
    read_safetensors,
)
from tests.inference.registry.builtin.minilm_numpy import embed
from tests.inference.registry.builtin.served import builtin_specs

WEIGHTS = package_file(EMBED_PACKAGE, "model/model.safetensors")


@pytest.fixture(scope="module")
def exported() -> Path:
    return Path(builtin_specs()["embed"].artifacts["weights"])


@pytest.fixture(scope="module")
def session(exported: Path) -> ort.InferenceSession:
    return ort.InferenceSession(str(exported), providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("length", [2, 7, 100])
def test_graph_computes_what_the_weights_say(session: ort.InferenceSession, length: int) -> None:
    ids = np.random.default_rng(length).integers(1000, 30000, length)
    (vector,) = session.run(None, {"input_ids": ids[None], "attention_mask": np.ones((1, length), np.int64)})[0]
    assert vector @ embed(read_safetensors(WEIGHTS), ids.tolist()) > 0.99999


def test_stored_reference_is_the_published_embedding(exported: Path) -> None:
    check_against_reference(exported)


def test_padding_does_not_change_an_embedding(session: ort.InferenceSession) -> None:
    ids = np.array([[101, 7592, 2088, 102, 0, 0, 0]])
    padded = session.run(None, {"input_ids": ids, "attention_mask": (ids > 0).astype(np.int64)})[0]
    alone = session.run(None, {"input_ids": ids[:, :4], "attention_mask": np.ones((1, 4), np.int64)})[0]
    assert np.allclose(padded, alone, atol=1e-5)


def test_export_is_the_same_bytes_every_time(exported: Path, tmp_path: Path) -> None:
    export_minilm(WEIGHTS, tmp_path / "again.onnx")
    assert (tmp_path / "again.onnx").read_bytes() == exported.read_bytes()


def test_graph_that_differs_from_the_reference_is_not_left_behind(tmp_path: Path) -> None:
    weights = dict(read_safetensors(WEIGHTS))
    name = "encoder.layer.3.output.dense.weight"
    weights[name] = weights[name] * 1.1
    (tmp_path / "wrong.onnx").write_bytes(minilm_graph(weights).SerializeToString())
    with pytest.raises(ExportFailed):
        check_against_reference(tmp_path / "wrong.onnx")


def test_file_is_a_valid_model_with_free_batch_and_length(exported: Path) -> None:
    model = onnx.load(exported)
    sizes = [[dim.dim_param for dim in value.type.tensor_type.shape.dim] for value in model.graph.input]
    assert sizes == [["batch", "sequence"]] * 2
    assert {entry.domain for entry in model.opset_import} == {"", "com.microsoft"}


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
