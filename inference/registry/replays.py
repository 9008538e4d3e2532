"""Replays: versions that were made of variants are judged again each day, and left once they leave their bounds."""

from typing import Any

import structlog

from inference.core.calls import Call
from inference.registry.aliases import point
from inference.registry.artifacts import local_path
from inference.registry.gating import judge
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.models.versions import DRIFTED
from inference.registry.pausing import pause
from inference.registry.tasks.claims import TaskClaim, ending
from inference.runtime.precision import variant_role
from tenants.core.db.unit_of_work import operator_work
from tenants.core.progress import Progress

log = structlog.get_logger(__name__)


def replay(claim: TaskClaim, progress: Progress, call: Call) -> None:
    """Judge a version against its source again. One that drifted is paused, and its aliases fall back to the source."""
    with operator_work():
        version = ModelVersion.objects.select_related("served_model", "source__served_model").get(pk=claim.version_id)
    source = version.source
    assert source is not None, "only versions of variants are replayed"
    seed = version.report.get("golden", {}).get("seed")
    report = judge(source, local_path(_measured_file(version)), progress, call, seed=seed)
    admitted = report.verdict.admitted
    with ending(claim, {"admitted": admitted, "report": report.to_json()}):
        if not admitted:
            _leave(version, source, "; ".join(reason.detail for reason in report.verdict.reasons))


def _measured_file(version: ModelVersion) -> Any:
    """Return the file that runs on the CPU, where variants are measured."""
    precision = version.config.get("precision", {})
    return version.artifacts[variant_role("weights", precision.get("cpu", "fp32"))]


def _leave(version: ModelVersion, source: ModelVersion, reasons: str) -> None:
    served = ServedModel.objects.select_for_update(no_key=True).get(pk=version.served_model_id)
    pause(version, f"{DRIFTED}{reasons}")
    aliases = list(served.aliases.filter(version=version).values_list("name", flat=True))
    may_answer = source.state == ModelVersion.State.READY and source.deleted_at is None
    for alias in aliases if may_answer else ():
        point(served, alias, source, reason=f"version {version.number} drifted")
    log.error("model_version_drifted", version=version.engine_key, aliases=aliases, reasons=reasons)
