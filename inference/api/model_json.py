"""The JSON of versions, aliases, variants and tasks."""

from collections.abc import Mapping
from typing import Any

from inference.registry.models import AliasMove, ModelAlias, ModelTask, ModelVariant, ModelVersion

JsonObject = dict[str, Any]


def version_url(version: ModelVersion) -> str:
    return f"/v1/models/{version.served_model.name}/versions/{version.number}"


def version_json(version: ModelVersion) -> JsonObject:
    """Describe a version. `aliases`, `variants` and `tasks` are read if they were not fetched with it."""
    served = version.served_model
    task = next(iter(sorted(version.tasks.all(), key=lambda task: task.created_at, reverse=True)), None)
    return {
        "object": "model.version",
        "model": served.name,
        "version": version.number,
        "state": version.state,
        "paused_reason": version.paused_reason or None,
        "report": version.report,
        "progress": task.progress() if task is not None and not task.ended else None,
        "task": str(task.pk) if task is not None else None,
        "digest": version.digest,
        "license": version.license,
        "description": version.description,
        "labels": version.labels,
        "card": version.card,
        "evaluation": version.evaluation,
        "signature": version.signature,
        "artifacts": [_artifact_json(role, artifact) for role, artifact in sorted(version.artifacts.items())],
        "aliases": sorted(alias.name for alias in version.aliases.all()),
        "source": version.source.key if version.source else None,
        "lineage": version.lineage,
        "created": int(version.created_at.timestamp()),
        "created_by": version.author,
        "ready": int(version.ready_at.timestamp()) if version.ready_at else None,
        "url": version_url(version),
    }


def _artifact_json(role: str, artifact: Mapping[str, Any]) -> JsonObject:
    base, _, precision = role.partition(".")
    return {"role": base, "precision": precision or "fp32", "sha256": artifact["sha256"], "bytes": artifact["bytes"]}


def alias_json(alias: ModelAlias) -> JsonObject:
    return {
        "object": "model.alias",
        "alias": alias.name,
        "version": alias.version.number,
        "url": f"/v1/models/{alias.served_model.name}/aliases/{alias.name}",
    }


def move_json(move: AliasMove) -> JsonObject:
    return {
        "object": "model.alias_move",
        "alias": move.alias,
        "version": move.version.number if move.version else None,
        "previous": move.previous.number if move.previous else None,
        "moved_at": move.moved_at.isoformat(),
        "moved_by": move.author,
        "reason": move.reason,
    }


def variant_json(variant: ModelVariant) -> JsonObject:
    version = variant.version
    return {
        "object": "model.variant",
        "id": str(variant.pk),
        "model": version.served_model.name,
        "version": version.number,
        "precision": variant.precision,
        "transformation": variant.transformation,
        "state": variant.state,
        "sha256": variant.artifact["sha256"],
        "bytes": variant.artifact["bytes"],
        "lineage": variant.lineage,
        "report": variant.report,
        "used_as": variant.used_as.number if variant.used_as else None,
        "created": int(variant.created_at.timestamp()),
        "created_by": variant.author,
        "url": f"{version_url(version)}/variants/{variant.pk}",
    }


def task_json(task: ModelTask) -> JsonObject:
    model = task.version.served_model.name
    error = {"code": task.error_code, "detail": task.error_detail} if task.error_code else None
    return {
        "object": "model.task",
        "id": str(task.pk),
        "kind": task.kind,
        "model": model,
        "version": task.version.number,
        "variant": str(task.variant_id) if task.variant_id else None,
        "state": task.state,
        "progress": task.progress(),
        "result": task.result,
        "error": error,
        "created": int(task.created_at.timestamp()),
        "ended": int(task.ended_at.timestamp()) if task.ended_at else None,
        "url": f"/v1/models/{model}/tasks/{task.pk}",
    }
