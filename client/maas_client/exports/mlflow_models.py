"""The import of a directory of MLflow: its ONNX flavor becomes a single file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from maas_client.exports.errors import CannotExport
from maas_client.exports.onnx_files import merged


@dataclass(frozen=True)
class Imported:
    """The file with what MLflow knows about it."""

    path: Path
    name: str | None = None
    license: str | None = None
    description: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def lineage(self) -> Mapping[str, str]:
        return {name: text for name, text in self.labels.items() if name == "source" or name.startswith("mlflow.")}


def from_directory(directory: Path, to: Path) -> Imported:
    description = directory / "MLmodel"
    if not description.is_file():
        raise CannotExport(f"{directory} is no model of MLflow: there is no file MLmodel in it.")
    model = yaml.safe_load(description.read_text())
    flavors = (model.get("flavors") if isinstance(model, dict) else None) or {}
    if "onnx" not in flavors:
        raise CannotExport(
            f"The model has the flavors {', '.join(flavors) or 'none'}. Only the flavor onnx can be imported: export "
            "the model with its own library, or log it again with mlflow.onnx.log_model."
        )
    named = {"mlflow.run_id": "run_id", "mlflow.model_id": "model_id", "mlflow.logged_with": "mlflow_version"}
    labels = {label: str(model[name]) for label, name in named.items() if model.get(name)}
    return Imported(merged(_graph(directory, flavors["onnx"]), to), labels={"source": "mlflow", **labels})


def _graph(directory: Path, flavor: Mapping[str, Any]) -> Path:
    """Return the path of the graph. A directory made by somebody else must not name a file outside of it."""
    named = str(flavor.get("data", "model.onnx"))
    path = (directory / named).resolve()
    if path.is_dir():
        path /= "model.onnx"
    if not path.is_relative_to(directory.resolve()) or not path.is_file():
        raise CannotExport(f"MLmodel names the file {named}, which is not in the directory.")
    return path
