"""Test the import of directories that releases of MLflow wrote, with the weights in a file beside the graph."""

import shutil
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from maas_client.exports.errors import CannotExport
from maas_client.exports.mlflow_models import from_directory

DIRECTORIES = Path(__file__).parent / "mlflow_directories"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DIRECTORIES / "mlflow-3", tmp_path / "model"))


@pytest.mark.parametrize(("name", "release"), [("mlflow-2", "2.22.5"), ("mlflow-3", "3.17.2")])
def test_the_weights_beside_the_graph_are_merged_into_one_file(name: str, release: str, tmp_path: Path) -> None:
    found = from_directory(DIRECTORIES / name, tmp_path / "one.onnx")
    assert found.labels == {"source": "mlflow", "mlflow.logged_with": release}
    assert all(not tensor.external_data for tensor in onnx.load(found.path, load_external_data=False).graph.initializer)
    x = np.ones((2, 20), np.float32)
    (y,) = onnxruntime.InferenceSession(found.path.read_bytes()).run(None, {"x": x})
    assert (y == 3).all()


def test_a_model_without_the_onnx_flavor_is_refused_with_its_flavors(copied: Path) -> None:
    (copied / "MLmodel").write_text("flavors:\n  sklearn: {}\n  python_function: {}\n")
    with pytest.raises(CannotExport, match="flavors sklearn, python_function"):
        from_directory(copied, copied / "one.onnx")
    with pytest.raises(CannotExport, match="no file MLmodel"):
        from_directory(copied.parent, copied / "one.onnx")


def test_a_directory_cannot_reach_files_outside_of_it(copied: Path) -> None:
    (copied.parent / "secret").write_bytes(bytes(1600))
    (copied / "MLmodel").write_text("flavors:\n  onnx:\n    data: ../secret\n")
    with pytest.raises(CannotExport, match="which is not in the directory"):
        from_directory(copied, copied / "one.onnx")
    (copied / "MLmodel").write_text("flavors:\n  onnx:\n    data: model.onnx\n")
    model = onnx.load(copied / "model.onnx", load_external_data=False)
    for entry in model.graph.initializer[0].external_data:
        if entry.key == "location":
            entry.value = "../secret"
    (copied / "model.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(CannotExport, match=r"cannot be read"):
        from_directory(copied, copied / "one.onnx")
