"""Decides whether a model of the control cell can be taken over in this cell. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from jobs.cells.documents import ModelPart


@dataclass(frozen=True, slots=True)
class VersionHere:
    digest: str
    deleted: bool


@dataclass(frozen=True, slots=True)
class ModelHere:
    """A model as this cell has it."""

    versions: Mapping[int, VersionHere]
    replicated: bool
    """Set if it came from the control cell."""


def model_refusal(here: ModelHere | None, wanted: ModelPart, runtimes: Collection[str]) -> str:
    """Return why the model cannot be taken over, or an empty text."""
    for version in wanted.versions:
        if version.runtime not in runtimes:
            return (
                f"Version {version.number} needs the runtime {version.runtime[:40]!r}, which this cell's release does "
                "not have. Upgrade this cell."
            )
    if here is None:
        return ""
    numbers = {version.number: version.digest for version in wanted.versions}
    for number, version_here in sorted(here.versions.items()):
        there = numbers.get(number)
        if there is not None and there != version_here.digest:
            return (
                f"The name is taken: version {number} is {version_here.digest[:12]} in this cell and {there[:12]} in "
                "the control cell. Give the model another name there."
            )
        if there is None and not version_here.deleted and not here.replicated:
            return (
                f"The name is taken: this cell has made a version {number}, which the control cell does not have. Give "
                "the model another name there, or delete that version here."
            )
    return ""


def members_of(wanted: ModelPart) -> set[str]:
    """Return the names of the other models whose versions are steps of its versions."""
    keys = {key for version in wanted.versions for key in version.steps.values()}
    return {key.partition("@")[0] for key in keys} - {wanted.name}


def in_order(models: Collection[ModelPart]) -> list[ModelPart]:
    """Return the models so that members come before the pipelines that use them, as far as there is such an order."""
    left = {model.name: model for model in models}
    ordered: list[ModelPart] = []
    while left:
        free = [model for model in left.values() if not members_of(model) & left.keys()] or list(left.values())
        ordered += free
        for model in free:
            del left[model.name]
    return ordered
