"""Gives the models of the installation, with their versions, aliases and the names of their files."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from inference.registry.models import ModelVersion, ServedModel
from jobs.cells.documents import FilePart, ModelPart, VersionPart

GIVEN = (ModelVersion.State.READY, ModelVersion.State.RETIRED)
"""The states in which a version is given to other cells. One that is being checked, or was refused, stays here."""
FIELDS = (
    "title",
    "description",
    "accepts",
    "parameters",
    "price_meter",
    "price_micros",
    "price_per",
    "currency",
    "cached_price_micros",
    "review_price_micros",
    "cache_ttl_s",
    "audience",
    "isolated",
    "kind",
    "bounds",
)
VERSION_FIELDS = ("license", "description", "labels", "card", "evaluation", "lineage", "report", "signature", "config")


def model_parts() -> list[ModelPart]:
    """Return the models of the installation. Those of accounts stay in their home. This is operator work."""
    models = ServedModel.objects.filter(tenant=None, deleted_at=None).order_by("name")
    found = models.prefetch_related("versions__steps__member__served_model", "aliases__version")
    return [_part(served) for served in found]


def files_given() -> dict[str, FilePart]:
    """Return the files that other cells may fetch, by digest: those of the versions that are given."""
    given = ModelVersion.objects.filter(
        tenant=None, state__in=GIVEN, deleted_at=None, served_model__tenant=None, served_model__deleted_at=None
    )
    files = [file for found in given.values_list("artifacts", flat=True) for file in found.values()]
    return {str(file["sha256"]): file_part(file) for file in files}


def file_part(artifact: Mapping[str, Any]) -> FilePart:
    name = PurePosixPath(str(artifact["file"])).name
    return FilePart(sha256=str(artifact["sha256"]), bytes=int(artifact["bytes"]), name=name)


def stored_name(file: FilePart) -> str:
    return f"models/{file.sha256}/{file.name}"


def _part(served: ServedModel) -> ModelPart:
    given = [version for version in served.versions.all() if version.state in GIVEN and version.deleted_at is None]
    numbers = {version.pk: version.number for version in given}
    state = ServedModel.State.ACTIVE if served.state == ServedModel.State.ACTIVE else ServedModel.State.PAUSED
    return ModelPart(
        name=served.name,
        state=state,
        aliases={
            alias.name: numbers[alias.version_id] for alias in served.aliases.all() if alias.version_id in numbers
        },
        versions=[_version(version) for version in sorted(given, key=lambda version: version.number)],
        **{name: getattr(served, name) for name in FIELDS},
    )


def _version(version: ModelVersion) -> VersionPart:
    return VersionPart(
        number=version.number,
        runtime=version.runtime,
        digest=version.digest,
        state=version.state,
        files={role: file_part(file) for role, file in version.artifacts.items()},
        steps={step.role: step.member.key for step in version.steps.all()},
        created_at=version.created_at,
        **{name: getattr(version, name) for name in VERSION_FIELDS},
    )
