"""Changes of versions: their description, their retirement and their deletion, with that of whole models."""

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from inference.factory.bounds import BoundInvalid, check_bounds
from inference.factory.measures.pairs import Kind
from inference.registry.errors import ModelInUse, ModelPaused, VersionNotFound, VersionNotReady
from inference.registry.models import ModelAlias, ModelSamples, ModelTask, ModelVersion, PipelineStep, ServedModel
from inference.registry.owners import owned_model, owner_work
from inference.registry.stopping import installation_state
from inference.registry.texts import checked_line, checked_lines
from inference.registry.uploads import LONGEST_TEXT, LONGEST_TITLE, ModelDescription
from tenants.audit.services import record
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.errors import InvalidRequest

State = ModelVersion.State
NAMED = 5
UnfinishedWork = Callable[[Sequence[int]], Sequence[str]]
"""A function that returns the work on these versions which has not ended, for people, such as `3 unfinished jobs`."""
_work: list[UnfinishedWork] = []


def register_work(unfinished: UnfinishedWork) -> None:
    """Register a kind of work that keeps the versions that it uses, once, at the start."""
    if unfinished not in _work:
        _work.append(unfinished)


def found_version(served: ServedModel, number: int, *, for_update: bool = False) -> ModelVersion:
    versions = served.versions.filter(number=number, deleted_at=None)
    version = (versions.select_for_update(no_key=True) if for_update else versions).first()
    if version is None:
        raise VersionNotFound(f"The model {served.name!r} has no version {number}.")
    return version


def describe_version(
    *, owner: UUID | None, model: str, number: int, description: ModelDescription, resume: bool = False
) -> ModelVersion:
    """Change the description, the labels, the card or the evaluation of a version. Nothing that it computes changes.

    With `resume`, a version runs again that was paused because its processes ended.
    """
    fields = description.checked()
    with owner_work(owner):
        served = owned_model(owner, model)
        version = found_version(served, number, for_update=True)
        for name, value in fields.items():
            setattr(version, name, value)
        if fields or not resume:
            version.save(update_fields=list(fields))
            _record(served, "model.version_changed", version, ", ".join(sorted(fields)))
        if resume:
            _resume(served, version)
    return version


def _resume(served: ServedModel, version: ModelVersion) -> None:
    """End the pause of a version. Workers count the ends of its processes anew when it is called again."""
    if not version.paused_reason:
        return
    if not version.may_resume:
        raise VersionNotReady(
            f"Version {version.key} stays paused: {version.paused_reason} Use its source, or make another variant."
        )
    note, version.paused_reason, version.paused_at = version.paused_reason, "", None
    version.save(update_fields=["paused_reason", "paused_at"])
    _record(served, "model.version_resumed", version, note)


def change_model(
    *,
    owner: UUID | None,
    model: str,
    title: str | None = None,
    description: str | None = None,
    paused: bool | None = None,
    kind: str | None = None,
    bounds: Mapping[str, object] | None = None,
) -> ServedModel:
    """Change how a model is shown, whether it takes work, and by which bounds its variants are judged."""
    state = None if paused is None else ServedModel.State.PAUSED if paused else ServedModel.State.ACTIVE
    if title is not None:
        checked_line(title, "`title`", LONGEST_TITLE)
    if description is not None:
        description = checked_lines(description, "`description`", LONGEST_TEXT)
    given = {"title": title, "description": description, "state": state, "kind": kind, "bounds": bounds}
    fields = {name: value for name, value in given.items() if value is not None}
    with owner_work(owner):
        served = owned_model(owner, model, for_update=True)
        if bounds is not None:
            _check_bounds(bounds, kind if kind is not None else served.kind)
        if state is not None and served.state == ServedModel.State.SUSPENDED:
            raise ModelPaused(f"The operator has suspended the model {served.name!r}. Ask the operator to resume it.")
        for name, value in fields.items():
            setattr(served, name, value)
        if fields:
            served.save(update_fields=list(fields))
        if owner is not None:
            note = ", ".join(sorted(fields))
            record(tenant_id=owner, action="model.changed", subject_id=served.pk, subject=served.name, note=note)
    return served


def suspend_model(served: ServedModel, suspended: bool) -> None:
    """Pause or resume a model as an operator. Its account cannot resume it meanwhile. Raises ChangedElsewhere if the
    control cell has paused it.
    """
    with operator_work(), transaction.atomic(using=OPERATOR):
        if served.tenant_id is None:
            state = installation_state(served.name, paused=suspended)
        else:
            state = ServedModel.State.SUSPENDED if suspended else ServedModel.State.ACTIVE
        ServedModel.objects.filter(pk=served.pk).update(state=state)
        if served.tenant_id is not None:
            record(
                tenant_id=served.tenant_id,
                action="model.suspended" if suspended else "model.resumed",
                subject_id=served.pk,
                subject=served.name,
            )


def _check_bounds(bounds: Mapping[str, object], kind: str) -> None:
    try:
        check_bounds(bounds, Kind(kind) if kind else None)
    except BoundInvalid as error:
        raise InvalidRequest(f"`bounds`: {error}") from error


def retire_version(*, owner: UUID | None, model: str, number: int) -> ModelVersion:
    """Take a version out of service. Work that was accepted is finished."""
    with owner_work(owner):
        served = owned_model(owner, model, for_update=True)
        version = found_version(served, number, for_update=True)
        if version.state not in {State.READY, State.RETIRED}:
            raise VersionNotReady(
                f"Version {version.key} is {version.state}, so it is not in service. Delete it instead."
            )
        _refuse_while_referred(served, [version.pk], version.key)
        version.state = State.RETIRED
        version.save(update_fields=["state"])
        _record(served, "model.version_retired", version)
    return version


def delete_version(*, owner: UUID | None, model: str, number: int) -> None:
    """Delete a version. Its number is never used again, and its files are collected later."""
    with owner_work(owner):
        served = owned_model(owner, model, for_update=True)
        version = found_version(served, number, for_update=True)
        _refuse_while_referred(served, [version.pk], version.key)
        _refuse_while_worked_on([version.pk], version.key)
        _forget(served.versions.filter(pk=version.pk))
        _record(served, "model.version_deleted", version)


def delete_model(*, owner: UUID | None, model: str) -> None:
    """Delete a model with its versions and aliases. What was billed for it stays known."""
    with owner_work(owner):
        served = owned_model(owner, model, for_update=True)
        version_ids = list(served.versions.filter(deleted_at=None).values_list("pk", flat=True))
        _refuse_while_in_pipelines(version_ids, model)
        _refuse_while_worked_on(version_ids, model)
        served.aliases.all().delete()
        ModelSamples.objects.filter(served_model=served).delete()
        _forget(served.versions.filter(deleted_at=None))
        ServedModel.objects.filter(pk=served.pk).update(deleted_at=Now())
        if owner is not None:
            record(tenant_id=owner, action="model.deleted", subject_id=served.pk, subject=served.name)


def _forget(versions: "QuerySet[ModelVersion]") -> None:
    ModelTask.objects.filter(version__in=versions, state=ModelTask.State.QUEUED).update(
        state=ModelTask.State.CANCELED, ended_at=Now()
    )
    ModelTask.objects.filter(version__in=versions, state=ModelTask.State.RUNNING).update(canceling=True)
    versions.filter(state__in=(State.VALIDATING, State.READY)).update(state=State.RETIRED)
    versions.update(deleted_at=Now())


def _refuse_while_referred(served: ServedModel, version_ids: Sequence[int], shown: str) -> None:
    aliases = ModelAlias.objects.filter(version__in=version_ids).values_list("name", flat=True)
    if names := sorted(aliases):
        raise ModelInUse(
            f"The alias {names[0]!r} stands for {shown}. Move it to another version first"
            + (f", or delete the model {served.name!r}." if names == ["current"] else "."),
            extra={"aliases": names},
        )
    _refuse_while_in_pipelines(version_ids, shown)


def _refuse_while_in_pipelines(version_ids: Sequence[int], shown: str) -> None:
    steps = PipelineStep.objects.filter(member__in=version_ids, pipeline__deleted_at=None).exclude(
        pipeline__state__in=(State.RETIRED, State.REFUSED)
    )
    keys = sorted({step.pipeline.key for step in steps.select_related("pipeline__served_model")[:NAMED]})
    if keys:
        raise ModelInUse(f"Pipelines use {shown}: {', '.join(keys)}. Delete them first.", extra={"pipelines": keys})


def _refuse_while_worked_on(version_ids: Sequence[int], shown: str) -> None:
    held = [text for unfinished in _work for text in unfinished(version_ids)]
    if held:
        raise ModelInUse(f"{shown} has {' and '.join(held)}. Wait for their end or cancel them first.")


def _record(served: ServedModel, action: str, version: ModelVersion, note: str = "") -> None:
    if served.tenant_id is not None:
        record(
            tenant_id=served.tenant_id,
            action=action,
            subject_id=version.pk,
            subject=f"{served.name}@{version.number}",
            note=note,
        )
