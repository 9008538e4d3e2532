"""The content of the page of an account's own model."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inference.registry.models import ModelTask, ModelVariant, ModelVersion
from inference.registry.owners import owned_model
from inference.registry.reading import tasks_of, versions_of
from tenants.limits.quota.wording import size

MAX_MOVES = 20
MAX_TASKS = 10


@dataclass(frozen=True)
class VersionView:
    number: int
    state: str
    aliases: tuple[str, ...]
    license: str
    size: str
    created_at: datetime
    author: str
    source: str
    paused_reason: str
    refusal: dict[str, str] | None
    """Code, detail, node and what to do, for a version that was refused."""
    ready: bool


@dataclass(frozen=True)
class VariantView:
    id: UUID
    version: int
    name: str
    state: str
    speedup: str
    size: str
    error: str
    reasons: tuple[str, ...]
    usable: bool
    used_as: int | None
    x: float
    """Position in the chart by speed, from 0 to 100."""
    y: float
    """Position in the chart by the share of its bounds that is used, from 0 to 100."""


@dataclass(frozen=True)
class OwnModel:
    name: str
    title: str
    current: int | None
    aliases: Sequence[tuple[str, int]]
    versions: Sequence[VersionView]
    variants: Sequence[VariantView]
    moves: Sequence[Any]
    tasks: Sequence[ModelTask]
    busy: bool
    """Set while work on it is under way, so that the page looks again."""


def own_model(tenant_id: UUID, name: str) -> OwnModel:
    """Return the model, in the scope of its tenant. Raises ModelNotFound."""
    served = owned_model(tenant_id, name)
    versions = list(versions_of(served))
    variants = ModelVariant.objects.filter(version__in=versions).select_related("version", "used_as")
    aliases = served.aliases.select_related("version")
    tasks = list(tasks_of(served)[:MAX_TASKS])
    moves = served.moves.select_related("previous", "version").order_by("-id")[:MAX_MOVES]
    current = next((alias.version.number for alias in aliases if alias.name == "current"), None)
    return OwnModel(
        name=served.name,
        title=served.title or served.name,
        current=current,
        aliases=[(alias.name, alias.version.number) for alias in aliases],
        versions=[_version(version) for version in versions],
        variants=[_variant(variant) for variant in variants.order_by("-created_at")],
        moves=list(moves),
        tasks=tasks,
        busy=any(not task.ended for task in tasks),
    )


def _version(version: ModelVersion) -> VersionView:
    total = sum(int(artifact["bytes"]) for artifact in version.artifacts.values())
    return VersionView(
        number=version.number,
        state=version.state,
        aliases=tuple(sorted(alias.name for alias in version.aliases.all())),
        license=version.license,
        size=size(total),
        created_at=version.created_at,
        author=version.author,
        source=version.source.key if version.source else "",
        paused_reason=version.paused_reason,
        refusal=version.report.get("refused") if version.state == ModelVersion.State.REFUSED else None,
        ready=version.state == ModelVersion.State.READY,
    )


def _variant(variant: ModelVariant) -> VariantView:
    report = variant.report
    speedup = _speedup(report)
    used = _used_share(report)
    reasons = [reason["detail"] for reason in report.get("verdict", {}).get("reasons", ())]
    if "refused" in report:
        reasons.append(report["refused"]["detail"])
    return VariantView(
        id=variant.pk,
        version=variant.version.number,
        name=variant.transformation or variant.precision,
        state=variant.state,
        speedup="" if speedup is None else f"{speedup:.2f} ×",
        size=size(int(variant.artifact["bytes"])),
        error="" if used is None else f"{100 * used:.0f} %",
        reasons=tuple(reasons),
        usable=variant.state == ModelVariant.State.ADMITTED,
        used_as=variant.used_as.number if variant.used_as else None,
        x=min(100.0, 25 * (speedup or 0.0)),
        y=100 - min(100.0, 50 * (used or 0.0)),
    )


def _speedup(report: dict[str, Any]) -> float | None:
    source, variant = report.get("source"), report.get("variant")
    if not source or not variant or not variant["alone_p50_ms"]:
        return None
    return float(source["alone_p50_ms"]) / float(variant["alone_p50_ms"])


def _used_share(report: dict[str, Any]) -> float | None:
    """Return how much of its tightest bound a variant uses up: 1 at the bound."""
    found = {measure["name"]: measure["value"] for measure in report.get("measured", {}).get("measures", ())}
    shares = [_share(name, found[name], bound) for name, bound in report.get("bounds", {}).items() if name in found]
    return max(shares, default=None)


def _share(name: str, value: float, bound: float) -> float:
    if name.startswith(("cosine", "recall")):
        return (1 - value) / max(1 - bound, 1e-9)
    return value / max(bound, 1e-9)
