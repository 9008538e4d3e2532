"""Tests of the pools on GPUs: their nodes, images, buffers and shares."""

import re
from typing import Any

import pytest
import yaml

from tests.deploy.kubernetes.manifests import PRODUCT, RENDERED, PodTemplate, container_of, of_kind, template_of

GPU_OVERLAYS = ("gpu", "gpu-shared", "gpu-mig")
SPOT_LABELS = {
    "cloud.google.com/gke-spot": "true",
    "kubernetes.azure.com/scalesetpriority": "spot",
    "eks.amazonaws.com/capacityType": "SPOT",
    "karpenter.sh/capacity-type": "spot",
}
"""The labels of nodes that may be taken away."""


def gpus_of(container: dict[str, Any]) -> dict[str, int]:
    """Return the GPUs, or slices of them, that the container gets, by the name of the resource."""
    limits = container["resources"]["limits"]
    return {name: count for name, count in limits.items() if name.startswith("nvidia.com/")}


def required_terms(template: PodTemplate) -> list[dict[str, dict[str, Any]]]:
    """Return what the labels of a node must be, by the label. One of the terms must be fulfilled."""
    required = template.spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return [{one["key"]: one for one in term["matchExpressions"]} for term in required["nodeSelectorTerms"]]


def required_labels(template: PodTemplate) -> dict[str, dict[str, Any]]:
    (labels,) = required_terms(template)
    return labels


@pytest.mark.parametrize(
    ("kustomization", "buffer", "worker"),
    [
        *((kustomization, "buffer", "worker") for kustomization in sorted(RENDERED.keys() - {"laptop"})),
        *((kustomization, "buffer-gpu", "worker-gpu") for kustomization in GPU_OVERLAYS),
    ],
)
def test_buffer_requests_what_a_worker_requests(kustomization: str, buffer: str, worker: str) -> None:
    held, wanted = template_of(kustomization, buffer), template_of(kustomization, worker)
    for part in ("cpu", "memory"):
        assert container_of(held)["resources"]["requests"][part] == container_of(wanted)["resources"]["requests"][part]
    assert gpus_of(container_of(held)) == gpus_of(container_of(wanted))
    assert held.spec["priorityClassName"] == "maas-buffer"
    # A GPU that is held costs as much as one that is used.
    assert held.owner["spec"]["replicas"] == (0 if buffer == "buffer-gpu" else 1)
    if buffer == "buffer-gpu":
        assert held.spec["tolerations"] == wanted.spec["tolerations"]
        assert required_terms(held) == required_terms(wanted)


@pytest.mark.parametrize("kustomization", GPU_OVERLAYS)
def test_spot_workers_run_on_spot_nodes_and_the_others_elsewhere(kustomization: str) -> None:
    terms = required_terms(template_of(kustomization, "worker-spot"))
    assert [{key: one for key, one in term.items() if key in SPOT_LABELS} for term in terms] == [
        {key: {"key": key, "operator": "In", "values": [value]}} for key, value in SPOT_LABELS.items()
    ]
    labels = required_labels(template_of(kustomization, "worker-gpu"))
    for key, value in SPOT_LABELS.items():
        assert labels[key] == {"key": key, "operator": "NotIn", "values": [value]}


def test_group_without_nodes_can_grow_for_workers_with_whole_gpus() -> None:
    """An autoscaler knows the labels of the cloud for a node that is not there yet, but none of feature discovery."""
    whole = [template_of("gpu", "worker-gpu"), *(template_of(overlay, "worker-spot") for overlay in GPU_OVERLAYS)]
    for template in whole:
        for term in required_terms(template):
            assert all(one["operator"] == "NotIn" for key, one in term.items() if key not in SPOT_LABELS)


def test_gpu_workers_run_the_image_for_gpus_on_nodes_with_gpus() -> None:
    for template in PRODUCT:
        container = template.containers[0]
        gpus = gpus_of(container)
        # Two names: `images:` of kustomize replaces all images of one name, whatever their tags.
        assert container["image"].partition(":")[0] == ("maas-gpu" if gpus else "maas")
        if gpus:
            assert list(gpus.values()) == [1]
            assert any(one["key"] == "nvidia.com/gpu" for one in template.spec["tolerations"])
            assert required_terms(template)
            (weights,) = (one for one in template.spec["volumes"] if one["name"] == "weights")
            assert weights == {"name": "weights", "persistentVolumeClaim": {"claimName": "weights"}}


def test_workers_with_a_whole_gpu_avoid_nodes_that_share_them() -> None:
    whole = [template_of("gpu", "worker-gpu"), *(template_of(overlay, "worker-spot") for overlay in GPU_OVERLAYS)]
    for template in whole:
        assert "MAAS_GPU_SHARE" not in template.settings
        assert gpus_of(container_of(template)) == {"nvidia.com/gpu": 1}
        for term in required_terms(template):
            strategy = term["nvidia.com/gpu.sharing-strategy"]
            assert (strategy["operator"], strategy["values"]) == ("NotIn", ["time-slicing", "mps"])


def test_workers_that_share_a_gpu_have_no_more_than_all_of_it() -> None:
    (config,) = (one for one in of_kind("gpu-shared", "ConfigMap") if one["metadata"]["namespace"] != "maas")
    read_configs = {name: yaml.safe_load(text) for name, text in config["data"].items()}
    assert read_configs.pop("default") == {"version": "v1"}
    worker = template_of("gpu-shared", "worker-gpu")
    labels = required_labels(worker)
    # Each configuration has the name of the label's value that it leads to.
    assert read_configs.keys() == set(labels["nvidia.com/gpu.sharing-strategy"]["values"])
    for name, section in (("time-slicing", "timeSlicing"), ("mps", "mps")):
        (shared,) = read_configs[name]["sharing"][section]["resources"]
        assert gpus_of(container_of(worker)).keys() == {shared["name"]}
        assert labels["nvidia.com/gpu.replicas"]["values"] == [str(shared["replicas"])]
        assert float(worker.settings["MAAS_GPU_SHARE"]) * shared["replicas"] == 1


def test_workers_on_slices_of_a_gpu_count_the_slice_as_a_whole() -> None:
    worker = template_of("gpu-mig", "worker-gpu")
    (name,) = gpus_of(container_of(worker))
    assert re.fullmatch(r"nvidia\.com/mig-\dg\.\d+gb", name)
    assert required_labels(worker).keys() == {f"{name}.count", *SPOT_LABELS}
    assert "MAAS_GPU_SHARE" not in worker.settings
