"""Compares manifests with the schemas of Kubernetes and KEDA. No server is asked."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import kubernetes_validate
from pydantic import ValidationError

from tests.deploy.kubernetes.kustomize import Resource, identity

VERSIONS = ("1.29", "1.37")
"""The oldest and the newest Kubernetes that the manifests are written for."""
KUSTOMIZE = "kustomize.config.k8s.io/"
KEDA = "keda.sh/"
SINCE_KEDA_2_16 = {"spec.fallback.behavior"}
"""Fields that are newer than the types that read them here. Later types need Python 3.14."""


def faults(resources: Sequence[Resource]) -> Iterator[str]:
    """Yield what a server would refuse, or ignore without a word: unknown fields, missing ones, wrong types."""
    for resource in resources:
        found = _keda_faults(resource) if resource["apiVersion"].startswith(KEDA) else _core_faults(resource)
        for fault in found:
            yield f"{' '.join(filter(None, identity(resource)[1:]))}: {fault}"


def _core_faults(resource: Resource) -> Iterator[str]:
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(resource, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"Kubernetes {version}: {'.'.join(map(str, error.path))}: {error.message}"


def _keda_faults(resource: Resource) -> Iterator[str]:
    from cloudcoil.models.keda import v1alpha1  # noqa: PLC0415  # takes seconds, which most tests do not need

    kind = getattr(v1alpha1, resource["kind"])
    try:
        read = kind.model_validate(resource).model_dump(by_alias=True, exclude_unset=True, mode="json")
    except ValidationError as error:
        yield str(error)
        return
    # The types of KEDA drop what they do not know.
    for path in sorted(_paths(resource) - _paths(read) - SINCE_KEDA_2_16):
        yield f"{path} is no field of KEDA's"


def _paths(value: Any, path: str = "") -> set[str]:
    if isinstance(value, dict):
        return {path}.union(*(_paths(item, f"{path}.{name}") for name, item in value.items()))
    if isinstance(value, list):
        return {path}.union(*(_paths(item, f"{path}[{number}]") for number, item in enumerate(value)))
    return {re.sub(r"^\.", "", path)}
