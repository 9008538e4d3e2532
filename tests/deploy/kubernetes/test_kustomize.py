"""Tests of the renderer, and of the schemas by which `make check` reads its result."""

import os
import re
import shutil
import subprocess
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.kubernetes.kustomize import BASE, MERGE_KEYS, OVERLAYS, NotRendered, identity, merged, render
from tests.deploy.kubernetes.schemas import faults
from tests.docs.product import read

KEYS = {"containers": "name", "env": "name"}


@pytest.mark.parametrize("folder", [BASE, *OVERLAYS], ids=lambda folder: folder.name)
def test_manifests_fit_the_schemas(folder: Path) -> None:
    assert list(faults(render(folder))) == []


def in_order(value: Any, name: str = "") -> Any:
    """Return the value with lists that have merge keys in the order of those keys, which may differ."""
    if isinstance(value, dict):
        return {key: in_order(item, key) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    items = [in_order(item) for item in value]
    return sorted(items, key=lambda item: str(item[MERGE_KEYS[name]])) if name in MERGE_KEYS else items


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl")
@pytest.mark.parametrize("folder", [BASE, *OVERLAYS], ids=lambda folder: folder.name)
def test_kubectl_builds_the_same(folder: Path) -> None:
    built = subprocess.run(["kubectl", "kustomize", folder], capture_output=True, text=True, check=True).stdout
    theirs = {identity(one): in_order(one) for one in yaml.safe_load_all(built)}
    assert {identity(one): in_order(one) for one in render(folder)} == theirs


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl")
def test_images_of_a_registry_replace_each_the_one_of_its_name(tmp_path: Path) -> None:
    """Build an overlay as docs/kubernetes.md describes it, with the images there."""
    (text,) = re.findall(r"```yaml\n(images:\n.*?)```", read("docs/kubernetes.md"), re.DOTALL)
    (gpu,) = (folder for folder in OVERLAYS if folder.name == "gpu")
    (tmp_path / "kustomization.yaml").write_text(f"resources: [{os.path.relpath(gpu, tmp_path)}]\n{text}")
    built = subprocess.run(["kubectl", "kustomize", tmp_path], capture_output=True, text=True, check=True).stdout
    images = {
        one["metadata"]["name"]: one["spec"]["template"]["spec"]["containers"][0]["image"]
        for one in yaml.safe_load_all(built)
        if "template" in one.get("spec", {})
    }
    assert images["worker"] == images["web"] == "registry.example.com/maas:0.1.0"
    assert images["worker-gpu"] == images["worker-spot"] == "registry.example.com/maas-gpu:0.1.0"


def test_resources_in_the_documentation_fit_the_schemas() -> None:
    texts = re.findall(r"```yaml\n(apiVersion:.*?)```", read("docs/kubernetes.md"), re.DOTALL)
    assert texts
    assert list(faults([yaml.safe_load(text) for text in texts])) == []


def test_cell_with_gpus_is_built_on_the_overlay_for_them(tmp_path: Path) -> None:
    shutil.copytree(BASE.parent, tmp_path / "kubernetes")
    cell = tmp_path / "kubernetes" / "overlays" / "cells"
    kustomization = (cell / "kustomization.yaml").read_text()
    for name in ("worker-gpu", "worker-spot", "buffer-gpu"):
        patch = (cell / "region-worker.yaml").read_text().replace("name: worker\n", f"name: {name}\n")
        (cell / f"region-{name}.yaml").write_text(patch)
        kustomization += f"  - path: region-{name}.yaml\n"
    (cell / "kustomization.yaml").write_text(kustomization.replace("  - ../../base\n", "  - ../gpu\n"))
    built = render(cell)
    assert list(faults(built)) == []
    regions = {one["metadata"]["name"]: one["spec"]["template"]["spec"] for one in built if one["kind"] == "Deployment"}
    assert {spec["nodeSelector"]["topology.kubernetes.io/region"] for spec in regions.values()} == {"europe-west4"}
    assert {"worker-gpu", "worker-spot", "buffer-gpu"} <= regions.keys()


def resource(kind: str, name: str) -> dict[str, Any]:
    (found,) = (one for one in render(BASE) if (one["kind"], one["metadata"]["name"]) == (kind, name))
    return deepcopy(found)


def test_field_that_kubernetes_does_not_know_is_a_fault() -> None:
    web = resource("Deployment", "web")
    web["spec"]["template"]["spec"]["terminationGracePeriod"] = 30
    assert any("terminationGracePeriod" in fault for fault in faults([web]))


def test_field_that_keda_does_not_know_is_a_fault() -> None:
    scaled = resource("ScaledObject", "worker")
    scaled["spec"]["polingInterval"] = 5
    assert list(faults([scaled])) == ["ScaledObject maas worker: spec.polingInterval is no field of KEDA's"]
    del scaled["spec"]["polingInterval"], scaled["spec"]["triggers"]
    assert any("triggers" in fault for fault in faults([scaled]))


def test_patch_joins_named_items_and_replaces_other_lists() -> None:
    target = {"containers": [{"name": "web", "args": ["a", "b"], "env": [{"name": "X", "value": "1"}]}]}
    patch = {"containers": [{"name": "web", "args": ["c"], "env": [{"name": "Y", "value": "2"}]}, {"name": "side"}]}
    assert merged(target, patch, KEYS) == {
        "containers": [
            {"name": "web", "args": ["c"], "env": [{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}]},
            {"name": "side"},
        ]
    }


def test_patch_removes_by_null_and_by_directive() -> None:
    target = {"a": 1, "b": 2, "env": [{"name": "X"}, {"name": "Y"}]}
    patch = {"a": None, "env": [{"name": "X", "$patch": "delete"}]}
    assert merged(target, patch, KEYS) == {"b": 2, "env": [{"name": "Y"}]}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("namePrefix: a-\nresources: [a.yaml]", "only resources and patches"),
        ("resources: [a.yaml, a.yaml]", "is there already"),
        ("resources: [a.yaml]\npatches: [{path: b.yaml}]", "to patch"),
        ("resources: [a.yaml]\npatches: [{path: a.yaml, target: {kind: Pod}}]", "a path and nothing else"),
    ],
)
def test_what_an_old_kustomize_could_not_build_is_refused(tmp_path: Path, more: str, reason: str) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n")
    (tmp_path / "kustomization.yaml").write_text(more)
    with pytest.raises(NotRendered, match=reason):
        render(tmp_path)
