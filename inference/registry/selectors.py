"""Look-ups in the registry: the model version that answers a name, and the data that a worker needs to serve it."""

import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import islice
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from inference.core.contracts import VersionSpec
from inference.registry.artifacts import local_path
from inference.registry.errors import ModelNotFound, ModelPaused
from inference.registry.models import ModelShare, ModelVersion, PipelineStep, ServedModel
from inference.registry.references import Reference, read_engine_key, read_reference
from inference.registry.unready import no_version_of_own
from inference.runtime.parameters import DOCUMENT, GRAPH, documents_of
from inference.runtime.tensors import output_shapes
from tenants.core.db.unit_of_work import current_scope, operator_work, unit_of_work

NAMED = 20
MAX_REMEMBERED = 20_000
_lifetime_s = 0.0
_known: dict[tuple[UUID | None, str], tuple[ModelVersion, float]] = {}
"""The remembered versions and the times at which they expire, by tenant and by the name that was requested."""


def scope_of(tenant_id: UUID | None) -> AbstractContextManager[None]:
    """Return the scope in which the tenant's models exist. Within another scope, it changes nothing."""
    return nullcontext() if tenant_id is None or current_scope() is not None else unit_of_work(tenant_id)


def usable_by(tenant_id: UUID | None) -> "QuerySet[ServedModel]":
    """Return the models that a tenant may use: its own, and those of the installation that are shared with it.

    Without a tenant, the models of the installation are returned.
    """
    return ServedModel.objects.filter(_usable(tenant_id), deleted_at=None)


def _usable(tenant_id: UUID | None, prefix: str = "") -> Q:
    of_installation = Q(**{f"{prefix}tenant": None})
    if tenant_id is None:
        return of_installation
    share = ModelShare.objects.filter(served_model=OuterRef(f"{prefix}pk"), account=tenant_id)
    shared = Q(**{f"{prefix}audience": ServedModel.Audience.EVERYONE}) | Q(Exists(share))
    return Q(**{f"{prefix}tenant": tenant_id}) | (of_installation & shared)


def active_models(tenant_id: UUID | None) -> "QuerySet[ServedModel]":
    """Return the models that the tenant may use and that have a current version."""
    return usable_by(tenant_id).filter(current__isnull=False).select_related("current").order_by("name", "tenant")


def models_reading(kind: str, tenant_id: UUID | None) -> list[str]:
    """Return the names of the models that may be used now and read documents of this kind."""
    served = active_models(tenant_id).filter(state=ServedModel.State.ACTIVE, accepts__contains=[DOCUMENT])
    return [
        model.name
        for model in served
        if model.current and kind in documents_of(model.current.runtime, model.current.config)
    ]


def versions_named(text: str) -> "QuerySet[ModelVersion]":
    """Return all versions of `name`, or that of `name@number` or `name@alias`, served or not. For another text, none.

    They are those that exist in the scope: a tenant's own and the installation's.
    """
    reference = read_reference(text)
    if reference is None:
        return ModelVersion.objects.none()
    if "@" not in text:
        return ModelVersion.objects.filter(served_model__name=reference.name)
    return _referred(reference)


def _referred(reference: Reference) -> "QuerySet[ModelVersion]":
    versions = ModelVersion.objects.filter(served_model__name=reference.name)
    if reference.number is not None:
        return versions.filter(number=reference.number)
    return versions.filter(aliases__name=reference.alias)


def find_version(text: str, *, tenant_id: UUID | None) -> ModelVersion:
    """Return version 2 for `parse@2`, that of an alias for `parse@alias`, and the current version for `parse`.

    A tenant's own model comes before one of the installation. Paused models are found too.
    """
    reference = read_reference(text)
    with scope_of(tenant_id):
        version = None
        if reference is not None:
            version = (
                _referred(reference)
                .filter(_usable(tenant_id, "served_model__"), served_model__deleted_at=None)
                .filter(state=ModelVersion.State.READY, deleted_at=None)
                .select_related("served_model__pool")
                .order_by(F("served_model__tenant").asc(nulls_last=True))
                .first()
            )
        if version is None:
            own = no_version_of_own(reference, tenant_id) if reference is not None and tenant_id is not None else None
            raise own or no_such_model(text, active_models(tenant_id).values_list("name", flat=True)[:NAMED])
        if version.runtime == GRAPH and version.tenant_id is not None:
            _refuse_without_members(version)
    return version


def _refuse_without_members(version: ModelVersion) -> None:
    """Refuse the pipeline of an account that uses a model which was shared with the account and is not any more."""
    usable = PipelineStep.objects.filter(_usable(version.tenant_id, "member__served_model__"), pk=OuterRef("pk"))
    gone = PipelineStep.objects.filter(~Exists(usable), pipeline=version).select_related("member__served_model").first()
    if gone is not None:
        raise ModelPaused(f"Version {version.key} is paused: its member {gone.member.key} is not shared any more.")


def no_such_model(reference: str, served: Iterable[str]) -> ModelNotFound:
    names = ", ".join(islice(served, NAMED))
    return ModelNotFound(f"There is no model {reference[:120]!r}. Available models: {names}.")


def resolve(reference: str, *, tenant_id: UUID | None) -> ModelVersion:
    """Return the version that is to run."""
    version = _remembered(reference, tenant_id) if _lifetime_s else find_version(reference, tenant_id=tenant_id)
    reason = paused_reason(version)
    if reason:
        raise ModelPaused(reason)
    return version


def paused_reason(version: ModelVersion) -> str:
    """Return why the version must not run, for its callers, or nothing if it may run."""
    served = version.served_model
    if served.state != ServedModel.State.ACTIVE:
        by_account = served.tenant_id is not None and served.state == ServedModel.State.PAUSED
        by = "by its account" if by_account else "by the operator"
        return f"The model {served.name!r} is paused {by}. Try again later or use another model."
    if version.paused_reason:
        return f"Version {version.key} is paused: {version.paused_reason}"
    return ""


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


def _remembered(reference: str, tenant_id: UUID | None) -> ModelVersion:
    key, now_s = (tenant_id, reference), time.monotonic()
    remembered = _known.get(key)
    if remembered is None or now_s >= remembered[1]:
        # A reference that a caller invents is not found, so it occupies no memory.
        remembered = find_version(reference, tenant_id=tenant_id), now_s + _lifetime_s
        if len(_known) >= MAX_REMEMBERED:
            _known.clear()
        _known[key] = remembered
    return remembered[0]


def served_versions() -> list[ModelVersion]:
    """Return every version that may be requested, and whose queue must therefore be consumed."""
    with operator_work():
        ready = ModelVersion.objects.filter(state=ModelVersion.State.READY, deleted_at=None)
        return list(ready.select_related("served_model"))


def version_of_key(engine_key: str) -> ModelVersion | None:
    """Return the version that has this key in queues and workers, of any owner."""
    key = read_engine_key(engine_key)
    if key is None:
        return None
    with operator_work():
        versions = ModelVersion.objects.filter(served_model__name=key.name, number=key.number)
        return versions.filter(served_model__tenant=key.tenant_id).select_related("served_model").first()


def spec_of(version: ModelVersion) -> VersionSpec:
    """Return the specification of a version. Artifacts that are not yet on local disk are fetched."""
    return VersionSpec(
        model=version.served_model.engine_name,
        number=version.number,
        digest=version.digest,
        runtime=version.runtime,
        artifacts={role: str(local_path(artifact)) for role, artifact in version.artifacts.items()},
        config=version.config,
        # The members of a pipeline run in processes of their own where they must, and the steps between them here.
        isolated=version.served_model.is_isolated and version.runtime != GRAPH,
        steps={step.role: spec_of(step.member) for step in _steps_of(version)},
        output_shapes=output_shapes(version.signature) if version.runtime == "onnx" else {},
    )


def _steps_of(version: ModelVersion) -> list[PipelineStep]:
    with operator_work():
        return list(version.steps.select_related("member__served_model").order_by("role"))
