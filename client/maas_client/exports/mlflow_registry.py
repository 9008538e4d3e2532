"""The import of models from a registry of MLflow, which MLFLOW_TRACKING_URI names."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlflow
from mlflow.exceptions import MlflowException

from maas_client.exports.errors import CannotExport
from maas_client.exports.mlflow_models import Imported, from_directory

REGISTRY, RUN = "models:/", "runs:/"
RETRIES = "2"
"""The number of retries if the registry does not answer. MLflow's own default keeps trying for minutes."""


def from_registry(uri: str, to: Path) -> Imported:
    """Fetch `models:/name@alias`, `models:/name/3` or `runs:/…/model`, and write it as a single file."""
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", RETRIES)
    try:
        client = mlflow.MlflowClient()
        version = _version(client, uri.removeprefix(REGISTRY)) if uri.startswith(REGISTRY) else None
        if version is None:
            return _labeled(_fetched(uri, to), {"mlflow.uri": uri})
        fetched = _fetched(f"{REGISTRY}{version.name}/{version.version}", to)
        return _described(fetched, uri, version, client.get_registered_model(version.name))
    except MlflowException as error:
        raise CannotExport(f"{uri} cannot be fetched. MLflow says: {error}") from error


def _version(client: Any, rest: str) -> Any:
    """Return the version of the registry, or None for a logged model of MLflow 3, which is in no registry."""
    if rest.startswith("m-") and "/" not in rest and "@" not in rest:
        return None
    name, at, alias = rest.rpartition("@")
    if at:
        return client.get_model_version_by_alias(name, alias)
    name, slash, which = rest.rpartition("/")
    if not slash:
        raise CannotExport(f"{REGISTRY}{rest} names no version: write {REGISTRY}{rest}@alias or {REGISTRY}{rest}/3.")
    if which.isdecimal():
        return client.get_model_version(name, which)
    if which.lower() != "latest":
        raise CannotExport(f"{which!r} is no version: write {REGISTRY}{name}@alias, {REGISTRY}{name}/3 or …/latest.")
    versions = client.search_model_versions(f"name = '{name}'")
    if not versions:
        raise CannotExport(f"The registry has no version of model {name}.")
    return max(versions, key=lambda one: int(one.version))


def _fetched(uri: str, to: Path) -> Imported:
    folder = to.parent / "mlflow"
    folder.mkdir()
    return from_directory(Path(mlflow.artifacts.download_artifacts(artifact_uri=uri, dst_path=str(folder))), to)


def _described(fetched: Imported, uri: str, version: Any, registered: Any) -> Imported:
    own = {"mlflow.uri": uri, "mlflow.name": version.name, "mlflow.version": str(version.version)}
    given = {**registered.tags, **version.tags}
    # Labels have one line.
    tags = {_line(name): _line(text) for name, text in given.items() if name[:7] != "mlflow."}
    return replace(
        _labeled(fetched, {**tags, **own}),
        name=version.name,
        license=tags.get("license"),
        description=version.description or registered.description or None,
    )


def _line(text: object) -> str:
    return " ".join(str(text).split())


def _labeled(fetched: Imported, labels: dict[str, str]) -> Imported:
    return replace(fetched, labels={**fetched.labels, **labels})
