"""Variants of versions: files that are compared with their source by the gate, and used as a version of their own."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from inference.registry import artifacts
from inference.registry.aliases import ANY, point
from inference.registry.digests import version_digest
from inference.registry.errors import InvalidVariant, VariantNotFound, VersionNotReady
from inference.registry.model_limits import limits_of, too_large
from inference.registry.models import ModelTask, ModelVariant, ModelVersion
from inference.registry.owners import author_name, owned_model, owner_work
from inference.registry.references import CURRENT
from inference.registry.tasks.services import order_task
from inference.registry.uploads import file_name, next_number
from inference.registry.versions import found_version
from inference.runtime.precision import FP32, PRECISIONS, variant_role
from tenants.audit.services import record
from tenants.core.errors import InvalidRequest

State = ModelVariant.State
WEIGHTS = "weights"


def add_variant(
    *,
    owner: UUID | None,
    model: str,
    number: int,
    file: Path,
    precision: str,
    also: Callable[[ModelTask], object] | None = None,
) -> tuple[ModelVariant, ModelTask]:
    """Store a file as a variant of a version, which a worker compares with the version's own file."""
    if precision not in PRECISIONS:
        raise InvalidRequest(f"Unknown precision {precision[:20]!r}. Use one of {', '.join(PRECISIONS)}.")
    limits = limits_of(owner)
    if file.stat().st_size > limits.file_bytes:
        raise InvalidRequest(too_large(file, limits), code="request_too_large")
    artifact = artifacts.store(file, name=file_name(owner, precision))
    with owner_work(owner):
        artifacts.hold(artifact, file)
        version = ready_version(owner, model, number)
        variant = new_variant(version, precision, artifact)
        task = order_task(version, ModelTask.Kind.MEASURE, variant=variant)
        _record(version, "model.variant_added", precision)
        if also is not None:
            also(task)
    return variant, task


def ready_version(owner: UUID | None, model: str, number: int) -> ModelVersion:
    """Return a version of the owner's model that is ready and is a single ONNX file, in `owner_work`."""
    version = found_version(owned_model(owner, model), number)
    if version.state != ModelVersion.State.READY:
        raise VersionNotReady(
            f"Version {version.key} is {version.state}. Variants are made of versions that are ready."
        )
    if WEIGHTS not in version.artifacts:
        raise InvalidVariant(f"Version {version.key} is no single ONNX file, so it has no variants.")
    return version


def new_variant(
    version: ModelVersion,
    precision: str,
    artifact: artifacts.Artifact,
    *,
    transformation: str = "",
    lineage: Mapping[str, Any] | None = None,
    **fields: Any,
) -> ModelVariant:
    return ModelVariant.objects.create(
        tenant_id=version.tenant_id,
        version=version,
        precision=precision,
        transformation=transformation,
        artifact=artifact,
        lineage={"source": version.key, "file": {"sha256": artifact["sha256"]}, **(lineage or {})},
        author=author_name(),
        **fields,
    )


def use_variant(
    *,
    owner: UUID | None,
    model: str,
    number: int,
    variant_id: object,
    alias: str = CURRENT,
    if_version: object = ANY,
) -> ModelVersion:
    """Make a version of an admitted variant and its source, and move the alias to it, as `move_alias` does."""
    with owner_work(owner):
        served = owned_model(owner, model, for_update=True)
        source = found_version(served, number)
        variant = found_variant(source, variant_id, for_update=True)
        if variant.state != State.ADMITTED:
            raise InvalidVariant(f"The variant is {variant.state}. Only one that the gate admitted can be used.")
        version = variant.used_as if _is_usable(variant.used_as) else _version_of(variant, source)
        assert version is not None
        reason = f"variant {variant.transformation or variant.precision} of {number}"
        point(served, alias, version, if_version=if_version, reason=reason)
        _record(version, "model.variant_used", variant.precision)
    return version


def refuse_variant(*, owner: UUID | None, model: str, number: int, variant_id: object) -> ModelVariant:
    """Refuse a variant that the gate admitted. Versions that were made of it stay."""
    with owner_work(owner):
        source = found_version(owned_model(owner, model), number)
        variant = found_variant(source, variant_id, for_update=True)
        if variant.state == State.MEASURING:
            raise InvalidVariant("The variant is being measured. Cancel its task instead.")
        variant.state = State.REFUSED
        variant.save(update_fields=["state"])
        _record(source, "model.variant_refused", variant.precision)
    return variant


def found_variant(version: ModelVersion, variant_id: object, *, for_update: bool = False) -> ModelVariant:
    variants = version.variants.select_related("used_as__served_model")
    try:
        wanted = UUID(str(variant_id))
    except ValueError:
        wanted = None
    locked = variants.select_for_update(no_key=True, of=("self",)) if for_update else variants
    variant = None if wanted is None else locked.filter(pk=wanted).first()
    if variant is None:
        raise VariantNotFound(f"Version {version.key} has no variant {str(variant_id)[:60]!r}.")
    return variant


def _is_usable(version: ModelVersion | None) -> bool:
    return version is not None and version.state == ModelVersion.State.READY and version.deleted_at is None


def _version_of(variant: ModelVariant, source: ModelVersion) -> ModelVersion:
    """Make the version that runs the variant on the CPU, where it was measured. Elsewhere the source's file runs."""
    role = variant_role(WEIGHTS, variant.precision)
    files = {**source.artifacts, role: variant.artifact}
    config = {**source.config, "precision": _precision_with(source.config.get("precision", FP32), variant.precision)}
    served = source.served_model
    version = ModelVersion.objects.create(
        served_model=served,
        tenant_id=source.tenant_id,
        number=next_number(served),
        runtime=source.runtime,
        digest=version_digest(
            runtime=source.runtime,
            artifacts={name: str(file["sha256"]) for name, file in files.items()},
            config={"precision": config["precision"]},
            steps={},
        ),
        artifacts=files,
        config=config,
        signature=source.signature,
        license=source.license,
        description=source.description,
        labels=source.labels,
        card=source.card,
        evaluation={**source.evaluation, "gate": variant.report},
        source=source,
        lineage={**variant.lineage, "variant": str(variant.pk)},
        report=variant.report,
        author=author_name(),
    )
    version.refresh_from_db()
    ModelVariant.objects.filter(pk=variant.pk).update(used_as=version)
    return version


def _precision_with(before: Any, precision: str) -> dict[str, str]:
    on_gpu = before.get("gpu", FP32) if isinstance(before, Mapping) else str(before)
    return {"cpu": precision, "gpu": on_gpu}


def _record(version: ModelVersion, action: str, note: str) -> None:
    if version.tenant_id is not None:
        record(tenant_id=version.tenant_id, action=action, subject_id=version.pk, subject=version.key, note=note)
