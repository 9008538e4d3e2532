"""Look-ups in the registry: the model version that answers a name, and the data that a worker needs to serve it."""

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from django.db.models import QuerySet

from inference.core.contracts import VersionSpec
from inference.registry.artifacts import local_path
from inference.registry.errors import ModelNotFound, ModelPaused
from inference.registry.models import ModelVersion, ServedModel
from inference.runtime.parameters import DOCUMENT, documents_of

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
NAMED = 20
MAX_REMEMBERED = 2_000
_lifetime_s = 0.0
_known: dict[str, tuple[ModelVersion, float]] = {}
"""The remembered versions and the times at which they expire, by the name under which they were requested."""
NUMBER = re.compile(r"[0-9]{1,9}")


def active_models() -> "QuerySet[ServedModel]":
    return ServedModel.objects.filter(current__isnull=False).select_related("current").order_by("name")


def models_reading(kind: str) -> list[str]:
    """Return the names of the models that may be used now and read documents of this kind."""
    served = active_models().filter(state=ServedModel.State.ACTIVE, accepts__contains=[DOCUMENT])
    return [
        model.name
        for model in served
        if model.current and kind in documents_of(model.current.runtime, model.current.config)
    ]


def versions_named(reference: str) -> "QuerySet[ModelVersion]":
    """Return all versions of `name`, or that of `name@number`, served or not. For an invalid name, none."""
    name, at, number = reference.partition("@")
    versions = ModelVersion.objects.filter(served_model__name=name)
    if not NAME.fullmatch(name) or (at and not NUMBER.fullmatch(number)):
        return versions.none()
    return versions.filter(number=int(number)) if at else versions


def find_version(reference: str) -> ModelVersion:
    """Return version 2 for `parse@2`, and the current version for `parse`. Paused models are found too."""
    wanted = versions_named(reference).filter(state=ModelVersion.State.READY).select_related("served_model")
    if "@" not in reference:
        wanted = wanted.filter(current_of__isnull=False)
    version = wanted.first()
    if version is None:
        raise no_such_model(reference, active_models().values_list("name", flat=True)[:NAMED])
    return version


def no_such_model(reference: str, served: Iterable[str]) -> ModelNotFound:
    names = ", ".join(islice(served, NAMED))
    return ModelNotFound(f"There is no model {reference[:120]!r}. Available models: {names}.")


def resolve(reference: str) -> ModelVersion:
    """Return the version that is to run."""
    version = _remembered(reference) if _lifetime_s else find_version(reference)
    if version.served_model.state == ServedModel.State.PAUSED:
        raise ModelPaused(
            f"The model {version.served_model.name!r} is paused by the operator. Try again later or use another model."
        )
    return version


@contextmanager
def remembering_versions(seconds: float) -> Iterator[None]:
    """Make `resolve` remember each version for this many seconds. Versions are shared and must only be read."""
    global _lifetime_s  # noqa: PLW0603  # of the process
    _lifetime_s = seconds
    try:
        yield
    finally:
        _lifetime_s = 0.0
        _known.clear()


def _remembered(reference: str) -> ModelVersion:
    remembered, now_s = _known.get(reference), time.monotonic()
    if remembered is None or now_s >= remembered[1]:
        # A reference that a caller invents is not found, so it occupies no memory.
        remembered = find_version(reference), now_s + _lifetime_s
        if len(_known) >= MAX_REMEMBERED:
            _known.clear()
        _known[reference] = remembered
    return remembered[0]


def served_versions() -> list[ModelVersion]:
    """Return every version that may be requested, and whose queue must therefore be consumed."""
    return list(ModelVersion.objects.select_related("served_model").filter(state=ModelVersion.State.READY))


def spec_of(version: ModelVersion) -> VersionSpec:
    """Return the specification of a version. Artifacts that are not yet on local disk are fetched."""
    return VersionSpec(
        model=version.served_model.name,
        number=version.number,
        digest=version.digest,
        runtime=version.runtime,
        artifacts={role: str(local_path(artifact)) for role, artifact in version.artifacts.items()},
        config=version.config,
        steps={
            step.role: spec_of(step.member)
            for step in version.steps.select_related("member__served_model").order_by("role")
        },
    )
