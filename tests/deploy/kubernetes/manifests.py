"""The manifests as tests look at them: pods and containers of every kustomization, with their variables."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.deploy.kubernetes.kustomize import BASE, OVERLAYS, Resource, render

RENDERED = {folder.name: render(folder) for folder in (BASE, *OVERLAYS)}
OURS = ("web", "scheduler", "worker", "migrate")
"""The components that run the product's own image."""


@dataclass(frozen=True)
class PodTemplate:
    """A pod template with the object that makes pods of it."""

    kustomization: str
    owner: Resource

    @property
    def name(self) -> str:
        return str(self.owner["metadata"]["name"])

    @property
    def spec(self) -> dict[str, Any]:
        return dict(self.owner["spec"]["template"]["spec"])

    @property
    def labels(self) -> dict[str, str]:
        return dict(self.owner["spec"]["template"]["metadata"]["labels"])

    @property
    def component(self) -> str:
        return self.labels.get("app.kubernetes.io/component", "")

    @property
    def containers(self) -> list[dict[str, Any]]:
        return [*self.spec.get("initContainers", ()), *self.spec["containers"]]

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings of the first container that are written in the manifests."""
        (config,) = (one for one in RENDERED[self.kustomization] if one["metadata"]["name"] == "settings")
        own = {one["name"]: one["value"] for one in self.containers[0]["env"] if "value" in one}
        return {**config["data"], **own}

    def __str__(self) -> str:
        return f"{self.kustomization}-{self.name}"


def templates() -> Iterator[PodTemplate]:
    for name, resources in RENDERED.items():
        yield from (PodTemplate(name, one) for one in resources if "template" in one.get("spec", {}))


TEMPLATES = tuple(templates())
PRODUCT = tuple(template for template in TEMPLATES if template.component in OURS)


def template_of(kustomization: str, name: str) -> PodTemplate:
    (template,) = (one for one in TEMPLATES if (one.kustomization, one.name) == (kustomization, name))
    return template


def container_of(template: PodTemplate) -> dict[str, Any]:
    (container,) = template.spec["containers"]
    return dict(container)


def secret_of(container: dict[str, Any], secret: str = "maas") -> dict[str, tuple[str, bool]]:
    """Return the key of the Secret, and whether it may be absent, by the variable that has it."""
    references = {one["name"]: one["valueFrom"]["secretKeyRef"] for one in container["env"] if "valueFrom" in one}
    return {name: (one["key"], one.get("optional", False)) for name, one in references.items() if one["name"] == secret}


def of_kind(kustomization: str, kind: str) -> list[Resource]:
    return [one for one in RENDERED[kustomization] if one["kind"] == kind]
