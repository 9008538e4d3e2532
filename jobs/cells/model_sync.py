"""Takes over the models of the control cell in another cell: new versions, aliases, prices, and what was deleted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from inference.registry.aliases import delete_alias, point
from inference.registry.artifacts import lock
from inference.registry.models import ModelVersion, PipelineStep, ServedModel
from inference.registry.references import CURRENT, read_reference
from inference.registry.versions import delete_model, delete_version, found_version, retire_version
from inference.runtime.parameters import GRAPH, INTERFACES
from jobs.cells.documents import ModelPart, VersionPart
from jobs.cells.errors import PartRefused
from jobs.cells.model_changes import ModelHere, VersionHere, model_refusal
from jobs.cells.model_parts import FIELDS, VERSION_FIELDS, stored_name
from tenants.cells.replicated import Kind, replicated_part

REASON = "cell sync"
MAX_SHOWN = 60
RUNTIMES = frozenset((*INTERFACES, GRAPH))
State = ModelVersion.State
Stopped = ServedModel.State


def refusal_here(wanted: ModelPart) -> str:
    """Return why this cell cannot take the model over, before its files are fetched. This is operator work."""
    served = ServedModel.objects.filter(tenant=None, name=wanted.name).first()
    return model_refusal(None if served is None else _here(served), wanted, RUNTIMES)


def unknown_versions(wanted: ModelPart) -> list[VersionPart]:
    """Return the versions with files that this cell does not have with these files. This is operator work."""
    found = ModelVersion.objects.filter(served_model__tenant=None, served_model__name=wanted.name, deleted_at=None)
    here = dict(found.values_list("number", "artifacts"))
    return [version for version in wanted.versions if version.files and here.get(version.number) != _artifacts(version)]


@dataclass(frozen=True, slots=True)
class Applied:
    words: list[str]
    """The changes."""
    left_out: Mapping[int, str]
    """The reasons of the versions that were left out, by number."""


def apply_model(wanted: ModelPart, unready: Mapping[int, str]) -> Applied:
    """Make the model as the control cell has it, in the transaction of the export, without unready versions.

    Versions that are retired or gone there are retired and removed afterwards. Raises PartRefused.
    """
    served = ServedModel.objects.select_for_update(no_key=True).filter(tenant=None, name=wanted.name).first()
    if refusal := model_refusal(None if served is None else _here(served), wanted, RUNTIMES):
        raise PartRefused(refusal)
    words: list[str] = []
    if served is None:
        served = ServedModel.objects.create(
            name=wanted.name, state=wanted.state, **{name: getattr(wanted, name) for name in FIELDS}
        )
        words.append("created")
    else:
        words += _apply_fields(served, wanted)
    left_out = dict(unready)
    for version in wanted.versions:
        if version.number not in left_out:
            try:
                words += _apply_version(served, version)
            except PartRefused as error:
                left_out[version.number] = str(error)
    if left_out and not served.versions.filter(deleted_at=None).exists():
        raise PartRefused(" ".join(dict.fromkeys(left_out.values())))
    return Applied(words + _apply_aliases(served, wanted, left_out), left_out)


def retirable(wanted: ModelPart) -> list[int]:
    """Return the numbers of the versions of the model that are retired in the control cell and not here."""
    retired = [version.number for version in wanted.versions if version.state == State.RETIRED]
    ready = ModelVersion.objects.filter(served_model__tenant=None, served_model__name=wanted.name, state=State.READY)
    return list(ready.filter(number__in=retired, deleted_at=None).order_by("number").values_list("number", flat=True))


def retire_here(name: str, number: int) -> list[str]:
    """Retire a version that the control cell has retired. Raises DomainError while an alias or pipeline uses it."""
    retire_version(owner=None, model=name, number=number)
    return [f"version {number} retired"]


def removable(wanted: ModelPart) -> list[int]:
    """Return the numbers of the versions of the model that are not in the control cell any more."""
    numbers = [version.number for version in wanted.versions]
    left = ModelVersion.objects.filter(served_model__tenant=None, served_model__name=wanted.name, deleted_at=None)
    return list(left.exclude(number__in=numbers).order_by("number").values_list("number", flat=True))


def remove_version(name: str, number: int) -> list[str]:
    """Delete a version that the control cell has deleted. Raises DomainError while it is in use."""
    delete_version(owner=None, model=name, number=number)
    return [f"version {number} deleted"]


def remove_model(name: str) -> list[str]:
    """Delete a model that the control cell has deleted. Raises DomainError while it is in use."""
    if ServedModel.objects.filter(tenant=None, name=name, deleted_at=None).exists():
        delete_model(owner=None, model=name)
    return ["deleted"]


def _here(served: ServedModel) -> ModelHere:
    found = served.versions.values_list("number", "digest", "deleted_at")
    versions = {number: VersionHere(digest, deleted_at is not None) for number, digest, deleted_at in found}
    return ModelHere(versions, replicated=replicated_part(Kind.MODEL, served.name) is not None)


def _apply_fields(served: ServedModel, wanted: ModelPart) -> list[str]:
    values: dict[str, Any] = {name: getattr(wanted, name) for name in FIELDS} | {"deleted_at": None}
    values["state"] = _state(served, wanted)
    changed = {name: value for name, value in values.items() if getattr(served, name) != value}
    words = [f"{name}: {_short(getattr(served, name))} to {_short(value)}" for name, value in changed.items()]
    for name, value in changed.items():
        setattr(served, name, value)
    if changed:
        served.save(update_fields=list(changed))
    return words


def _state(served: ServedModel, wanted: ModelPart) -> str:
    """Return the state. A model that the operator of this cell has stopped stays stopped, from before too."""
    is_first = replicated_part(Kind.MODEL, served.name) is None and served.deleted_at is None
    stopped = {Stopped.SUSPENDED, Stopped.PAUSED} if is_first else {Stopped.SUSPENDED}
    return Stopped.SUSPENDED if served.state in stopped else wanted.state


def _apply_version(served: ServedModel, wanted: VersionPart) -> list[str]:
    """Add a version, or bring it up to date. It is retired later, when no alias stands for it any more.

    Raises PartRefused before anything is changed.
    """
    version = served.versions.filter(number=wanted.number).first()
    values: dict[str, Any] = {name: getattr(wanted, name) for name in VERSION_FIELDS}
    values |= {"artifacts": _artifacts(wanted), "deleted_at": None}
    if version is None:
        members = {role: _member(key) for role, key in wanted.steps.items()}
        _lock_files(wanted)
        made = ModelVersion.objects.create(
            served_model=served,
            number=wanted.number,
            runtime=wanted.runtime,
            digest=wanted.digest,
            state=wanted.state,
            created_at=wanted.created_at,
            ready_at=timezone.now(),
            author=REASON,
            **values,
        )
        for role, member in members.items():
            PipelineStep.objects.create(pipeline=made, role=role, member=member)
        return [f"version {wanted.number} added"]
    if wanted.state == State.READY or version.state not in {State.READY, State.RETIRED}:
        values["state"] = wanted.state
    changed = {name: value for name, value in values.items() if getattr(version, name) != value}
    if not changed:
        return []
    _lock_files(wanted)
    for name, value in changed.items():
        setattr(version, name, value)
    version.save(update_fields=list(changed))
    return [f"version {wanted.number}: {', '.join(sorted(changed))}"]


def _apply_aliases(served: ServedModel, wanted: ModelPart, left_out: Collection[int]) -> list[str]:
    words = []
    held = dict(served.aliases.values_list("name", "version__number"))
    for alias, number in wanted.aliases.items():
        if number not in left_out and held.get(alias) != number:
            point(served, alias, found_version(served, number), reason=REASON)
            words.append(f"alias {alias}: {held.get(alias, 'none')} to {number}")
    for alias in held.keys() - wanted.aliases.keys() - {CURRENT}:
        delete_alias(owner=None, model=served.name, alias=alias)
        words.append(f"alias {alias} deleted")
    return words


def _artifacts(wanted: VersionPart) -> dict[str, dict[str, Any]]:
    return {
        role: {"sha256": file.sha256, "bytes": file.bytes, "file": stored_name(file)}
        for role, file in wanted.files.items()
    }


def _lock_files(wanted: VersionPart) -> None:
    """Keep the files of a version from being collected until its row is there."""
    for file in wanted.files.values():
        lock(stored_name(file))


def _member(key: str) -> ModelVersion:
    named = read_reference(key)
    found = ModelVersion.objects.filter(served_model__tenant=None, deleted_at=None)
    if named is not None and named.number is not None:
        version = found.filter(served_model__name=named.name, number=named.number).first()
        if version is not None:
            return version
    raise PartRefused(f"It uses {key}, which is not in this cell.")


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
