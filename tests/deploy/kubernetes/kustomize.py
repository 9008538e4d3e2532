"""Builds a kustomization of resources and strategic-merge patches, as `kubectl kustomize` does, and no other."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

Resource = dict[str, Any]

KUBERNETES = Path(__file__).resolve().parents[3] / "deploy" / "kubernetes"
BASE = KUBERNETES / "base"
OVERLAYS = tuple(sorted((KUBERNETES / "overlays").iterdir()))
KNOWN_FIELDS = {"apiVersion", "kind", "resources", "patches"}
MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "topologySpreadConstraints": "topologyKey",
}
"""The lists that a strategic merge joins, by the field that names their items. Kubernetes replaces all others."""
BUILT_IN = (
    "v1",
    "apps/",
    "batch/",
    "policy/",
    "networking.k8s.io/",
    "rbac.authorization.k8s.io/",
    "scheduling.k8s.io/",
)
"""The API groups whose lists have merge keys. Of other resources, KEDA's for example, a patch replaces whole lists."""


class NotRendered(Exception):
    """A kustomization that needs more than resources and strategic-merge patches, or whose patch fits no resource."""


def identity(resource: Resource) -> tuple[str, str, str, str]:
    metadata = resource["metadata"]
    return resource["apiVersion"], resource["kind"], metadata.get("namespace", ""), metadata["name"]


def render(folder: Path) -> list[Resource]:
    """Return the resources of a kustomization. Raises NotRendered."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    if unknown := kustomization.keys() - KNOWN_FIELDS:
        raise NotRendered(f"{folder.name}: {', '.join(sorted(unknown))}: only resources and patches are allowed")
    resources: dict[tuple[str, str, str, str], Resource] = {}
    for entry in kustomization["resources"]:
        path = folder / entry
        for resource in render(path) if path.is_dir() else documents(path):
            if resources.setdefault(identity(resource), resource) is not resource:
                raise NotRendered(f"{path}: {identity(resource)} is there already")
    for patch in kustomization.get("patches", ()):
        if patch.keys() != {"path"}:
            raise NotRendered(f"{folder.name}: a patch is a path and nothing else: {patch}")
        _apply(resources, folder / patch["path"])
    return list(resources.values())


def documents(path: Path) -> list[Resource]:
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def _apply(resources: dict[tuple[str, str, str, str], Resource], path: Path) -> None:
    patches = documents(path)
    if len(patches) != 1:
        raise NotRendered(f"{path}: older versions of kustomize take one patch a file")
    (patch,) = patches
    name = identity(patch)
    if name not in resources:
        raise NotRendered(f"{path}: there is no {name} to patch")
    if patch.get("$patch") == "delete":
        del resources[name]
        return
    keys = MERGE_KEYS if patch["apiVersion"].startswith(BUILT_IN) else {}
    resources[name] = merged(resources[name], patch, keys)


def merged(target: Resource, patch: Resource, keys: dict[str, str]) -> Resource:
    result = deepcopy(target)
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, dict) and isinstance(result.get(name), dict):
            result[name] = merged(result[name], value, keys)
        elif isinstance(value, list) and name in keys and name in result:
            result[name] = _merged_lists(result[name], value, keys[name], keys)
        else:
            result[name] = deepcopy(value)
    return result


def _merged_lists(target: list[Any], patch: list[Any], key: str, keys: dict[str, str]) -> list[Any]:
    items = {item[key]: item for item in target}
    for item in patch:
        if item.get("$patch") == "delete":
            items.pop(item[key], None)
        else:
            items[item[key]] = merged(items.get(item[key], {}), item, keys)
    return list(items.values())
