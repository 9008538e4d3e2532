"""Uploads of models: a file becomes the next version of a model, which a worker checks before it is ready."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from inference.registry import artifacts
from inference.registry.digests import version_digest
from inference.registry.errors import ModelExists, ModelNotFound, TooManyModels
from inference.registry.model_limits import ModelLimits, counted_models, held_models, limits_of, too_large
from inference.registry.models import ModelTask, ModelVersion, ServedModel
from inference.registry.owners import author_name, owner_work
from inference.registry.references import NAME
from inference.registry.selectors import usable_by
from inference.registry.tasks.services import order_task
from inference.registry.texts import checked_line, checked_lines
from inference.runtime.parameters import GRAPH, TENSORS
from tenants.audit.services import record
from tenants.cells.replicated import Kind, refuse_if_replicated
from tenants.core.db.tenant_owned import lock_tenant
from tenants.core.errors import InvalidRequest
from tenants.limits.quota.wording import size

RUNTIME = "onnx"
LONGEST_LICENSE = 200
LONGEST_TITLE = 200
MAX_LABELS = 50
LONGEST_LABEL = 100
LONGEST_LABEL_TEXT = 2_000
CLASSES = "classes"
"""The label with the names of a classifier's classes: a JSON list in the order of its scores."""
LONGEST_TEXT = 50_000


@dataclass(frozen=True)
class ModelDescription:
    """The owner's description of a version. None leaves a field as it is."""

    description: str | None = None
    labels: Mapping[str, Any] | None = None
    card: str | None = None
    evaluation: Mapping[str, Any] | None = None

    def checked(self) -> dict[str, Any]:
        """Return the fields to write. Raises InvalidRequest."""
        given_texts = {"description": self.description, "card": self.card}
        fields = {
            name: None if text is None else checked_lines(text, f"`{name}`", LONGEST_TEXT)
            for name, text in given_texts.items()
        }
        if self.labels is not None:
            _check_labels(self.labels)
        given = {**fields, "labels": self.labels, "evaluation": self.evaluation}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class VersionUpload:
    """A new version of a model, without its content."""

    name: str
    license: str
    title: str = ""
    description: ModelDescription = field(default_factory=ModelDescription)
    lineage: Mapping[str, Any] = field(default_factory=dict)
    new: bool = True
    """Set to create the model if there is none of this name. Otherwise it must exist."""


@dataclass(frozen=True, kw_only=True)
class ModelUpload(VersionUpload):
    file: Path


@dataclass(frozen=True)
class Content:
    """The content of a new version: its files by role, or its declaration."""

    runtime: str
    digest: str
    accepts: list[str]
    lineage: Mapping[str, Any]
    note: str
    """The content in a few words, for the audit log."""
    files: Mapping[str, artifacts.Artifact] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)


def add_upload(
    *, owner: UUID | None, upload: ModelUpload, also: Callable[[ModelTask], object] | None = None
) -> tuple[ModelVersion, ModelTask]:
    """Store the file and make it the next version of the owner's model, which a worker checks. Raises DomainError.

    `also` writes what else belongs to it, in the same transaction.
    """
    limits = limits_of(owner)
    _checked(upload)
    _check_file(upload, limits)
    artifact = artifacts.store(upload.file, name=file_name(owner))
    content = Content(
        runtime=RUNTIME,
        digest=version_digest(runtime=RUNTIME, artifacts={"weights": artifact["sha256"]}, config={}, steps={}),
        accepts=[TENSORS],
        lineage={"file": {"sha256": artifact["sha256"], "bytes": artifact["bytes"]}},
        note=size(artifact["bytes"]),
        files={"weights": artifact},
    )
    with owner_work(owner):
        artifacts.hold(artifact, upload.file)
        return add_content(owner, upload, limits, content, also)


def add_content(
    owner: UUID | None,
    upload: VersionUpload,
    limits: ModelLimits,
    content: Content,
    also: Callable[[ModelTask], object] | None,
) -> tuple[ModelVersion, ModelTask]:
    """Add the version with its task, in `owner_work`."""
    described = _checked(upload)
    served = _model_for(owner, upload, limits, content, described)
    version = ModelVersion.objects.create(
        served_model=served,
        tenant_id=owner,
        number=next_number(served),
        runtime=content.runtime,
        digest=content.digest,
        artifacts=dict(content.files),
        config=dict(content.config),
        state=ModelVersion.State.VALIDATING,
        license=upload.license.strip(),
        lineage={**content.lineage, **upload.lineage},
        author=author_name(),
        **described,
    )
    task = order_task(version, ModelTask.Kind.VALIDATE)
    if owner is not None:
        record(
            tenant_id=owner,
            action="model.version_added",
            subject_id=version.pk,
            subject=version.key,
            note=f"{content.note}, {upload.license.strip()}",
        )
    if also is not None:
        also(task)
    return version, task


def file_name(owner: UUID | None, form: str = "") -> str:
    """Return the name of a stored file. Accounts with the same file have it apart, because a file has one process."""
    parts = ["model", *([owner.hex] if owner is not None else []), *([form] if form else [])]
    return f"{'.'.join(parts)}.onnx"


def next_number(served: ServedModel) -> int:
    """Return the number of the next version, under the lock on the model. Numbers are never used again."""
    return (served.versions.order_by("-number").values_list("number", flat=True).first() or 0) + 1


def _checked(upload: VersionUpload) -> dict[str, Any]:
    """Return the fields that describe the version. Raises InvalidRequest."""
    if not NAME.fullmatch(upload.name):
        raise InvalidRequest(
            f"Invalid name {upload.name[:60]!r}. Use a letter or digit, then letters, digits, - and _, 100 at most."
        )
    if not upload.license.strip():
        raise InvalidRequest("`license` is missing. Name the license of the model, such as Apache-2.0 or proprietary.")
    checked_line(upload.license, "`license`", LONGEST_LICENSE)
    checked_line(upload.title, "`title`", LONGEST_TITLE)
    return upload.description.checked()


def _check_file(upload: ModelUpload, limits: ModelLimits) -> None:
    if upload.file.stat().st_size > limits.file_bytes:
        raise InvalidRequest(too_large(upload.file, limits), code="request_too_large")


def _model_for(
    owner: UUID | None, upload: VersionUpload, limits: ModelLimits, content: Content, described: Mapping[str, Any]
) -> ServedModel:
    """Return the model of the upload, locked, and create it if it is new."""
    if owner is not None:
        lock_tenant(owner)
    else:
        refuse_if_replicated(Kind.MODEL, upload.name)
    served = ServedModel.objects.select_for_update(no_key=True).filter(tenant=owner, name=upload.name).first()
    if not upload.new and (served is None or served.deleted_at is not None):
        raise ModelNotFound(f"There is no model {upload.name!r} of yours.")
    if served is not None:
        return _next_for(owner, served, limits, content)
    if owner is not None and usable_by(owner).filter(tenant=None, name=upload.name).exists():
        raise ModelExists(f"The installation has a model {upload.name!r}. Choose another name.")
    _require_room(owner, limits)
    return ServedModel.objects.create(
        tenant_id=owner,
        name=upload.name,
        title=upload.title or upload.name,
        description=described.get("description", ""),
        accepts=content.accepts,
        # An account's price of all models, or that of its plan, comes before this one.
        price_meter="call",
        price_micros=0,
    )


def _next_for(owner: UUID | None, served: ServedModel, limits: ModelLimits, content: Content) -> ServedModel:
    """Return a model that is there, or that was deleted and begins again with the next number."""
    if served.runtime_of_versions not in {None, content.runtime}:
        kinds = {RUNTIME: "a single ONNX file", GRAPH: "a pipeline"}
        is_now = kinds.get(served.runtime_of_versions or "", "a built-in model")
        raise ModelExists(
            f"The model {served.name!r} is {is_now}, and this is {kinds[content.runtime]}. Choose another name."
        )
    if list(served.accepts) != content.accepts:
        raise ModelExists(
            f"The model {served.name!r} accepts {', '.join(served.accepts)}, and this accepts "
            f"{', '.join(content.accepts)}. Choose another name."
        )
    if owner is not None and not counted_models(owner).filter(pk=served.pk).exists():
        _require_room(owner, limits)
    if served.deleted_at is not None:
        ServedModel.objects.filter(pk=served.pk).update(deleted_at=None)
    return served


def _require_room(owner: UUID | None, limits: ModelLimits) -> None:
    if owner is None or limits.models is None:
        return
    held = held_models(owner)
    if held >= limits.models:
        most = "1 model" if limits.models == 1 else f"{limits.models} models"
        raise TooManyModels(
            f"{limits.whose('own_models')} may have {most} of its own, and has {held}. "
            f"{'Delete one first' if held else 'Ask for another plan'}.",
            gate="own_models",
        )


def _check_labels(labels: Mapping[str, Any]) -> None:
    if len(labels) > MAX_LABELS:
        raise InvalidRequest(f"`labels` has {len(labels)} entries. Send {MAX_LABELS} at most.")
    for name, value in labels.items():
        if not isinstance(value, str) or not 0 < len(name) <= LONGEST_LABEL or len(value) > LONGEST_LABEL_TEXT:
            raise InvalidRequest(
                f"The label {name[:40]!r} is invalid. Send a text of up to {LONGEST_LABEL_TEXT} characters for each "
                f"name, which has {LONGEST_LABEL} at most."
            )
        checked_line(name, "The name of a label", LONGEST_LABEL)
        checked_line(value, f"The label {name!r}", LONGEST_LABEL_TEXT)
