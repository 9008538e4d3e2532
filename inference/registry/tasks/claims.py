"""Claims, renewals, progress and ends of tasks. A token fences each statement, so a late worker writes nothing."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now

from inference.registry.errors import LeaseLost, TaskCanceled
from inference.registry.models import ModelTask, ModelVariant, ModelVersion
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.leases import row_leases

State = ModelTask.State
CANCELED = (TaskCanceled.code, "The task was canceled.")
MAX_ATTEMPTS = 3
"""The number of workers that may die on a task before the task is considered the cause."""

# The owner with the least work under way comes first, then the oldest task. An expired lease may be taken too. Files of
# an owner are checked one after another, so that those which take as long as they may do not hold up other owners.
_NEXT = """
WITH held AS (
    SELECT tenant_id, kind FROM inference_modeltask WHERE state = 'running' AND lease_until > clock_timestamp()
)
SELECT task.id FROM inference_modeltask task
WHERE task.state IN ('queued', 'running') AND task.run_after <= clock_timestamp() AND task.kind = ANY(%s)
    AND NOT task.canceling
    AND (task.lease_until IS NULL OR task.lease_until < clock_timestamp())
    AND (task.kind <> 'validate' OR NOT EXISTS (
        SELECT FROM held WHERE held.tenant_id IS NOT DISTINCT FROM task.tenant_id AND held.kind = 'validate'
    ))
ORDER BY (SELECT count(*) FROM held WHERE held.tenant_id IS NOT DISTINCT FROM task.tenant_id), task.created_at
LIMIT 1 FOR NO KEY UPDATE OF task SKIP LOCKED
"""


@dataclass(frozen=True)
class TaskClaim:
    """The right to work on a task, as long as the lease is renewed and the token is the latest."""

    task_id: UUID
    token: int
    kind: str
    version_id: int
    variant_id: UUID | None
    tenant_id: UUID | None
    attempt: int
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def held(self) -> "QuerySet[ModelTask]":
        """Return the row of the task, while this claim holds it."""
        return ModelTask.objects.filter(id=self.task_id, lease_token=self.token, state=State.RUNNING)


def task_waits(kinds: Collection[str]) -> bool:
    """Return whether there may be a task to claim."""
    with operator_work():
        waiting = ModelTask.objects.filter(row_leases.FREE, state__in=(State.QUEUED, State.RUNNING), kind__in=kinds)
        return waiting.filter(run_after__lte=Now()).exists()


def claim_task(worker: str, kinds: Collection[str]) -> TaskClaim | None:
    # Each worker asks once a second, nearly always in vain.
    if not task_waits(kinds):
        return None
    _end_canceled(kinds)
    with operator_work():
        rows = row_leases.take(
            ModelTask.objects.filter(id=RawSQL(_NEXT, (list(kinds),))),  # noqa: S611  # a constant
            "inference_fencing_token",
            settings.MAAS_LEASE_S,
            "id, lease_token, kind, version_id, variant_id, tenant_id, attempt, params",
            state=State.RUNNING,
            attempt=F("attempt") + 1,
            worker=worker,
            started_at=row_leases.CLOCK,
        )
    if not rows:
        return None
    task_id, token, kind, version_id, variant_id, tenant_id, attempt, params = rows[0]
    return TaskClaim(task_id, token, kind, version_id, variant_id, tenant_id, attempt, json.loads(params))


def _end_canceled(kinds: Collection[str]) -> None:
    """End tasks that were canceled while their worker died. Nobody begins them again."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        left = ModelTask.objects.filter(row_leases.FREE, state=State.RUNNING, canceling=True, kind__in=kinds)
        for task in left.select_for_update(no_key=True, skip_locked=True):
            ModelTask.objects.filter(pk=task.pk).update(state=State.CANCELED, ended_at=Now(), lease_until=None)
            refuse_unfinished(task.version_id, task.kind, task.variant_id, *CANCELED)


def renew(claim: TaskClaim) -> bool:
    """Renew the lease. Return False if it is lost, or if the task is to be canceled."""
    with operator_work():
        return row_leases.renew(claim.held.filter(canceling=False), settings.MAAS_LEASE_S)


def note_progress(claim: TaskClaim, stage: str, done: int = 0, total: int = 0) -> None:
    with operator_work():
        claim.held.update(stage=stage[:200], done=done, total=total)


@contextmanager
def ending(claim: TaskClaim, result: Mapping[str, Any]) -> Iterator[ModelTask]:
    """End the task as succeeded, in one transaction with what the block writes. Raises LeaseLost if it is not held."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        task = claim.held.select_for_update(no_key=True).first()
        if task is None:
            raise LeaseLost(f"task {claim.task_id} is no longer held")
        yield task
        _end(claim, State.SUCCEEDED, result=dict(result), done=F("total"))


def fail_task(claim: TaskClaim, code: str, detail: str) -> None:
    with operator_work(), transaction.atomic(using=OPERATOR):
        if _end(claim, State.FAILED, error_code=code, error_detail=detail[:500]):
            refuse_unfinished(claim.version_id, claim.kind, claim.variant_id, code, detail)


def cancel_claimed(claim: TaskClaim) -> None:
    with operator_work(), transaction.atomic(using=OPERATOR):
        if _end(claim, State.CANCELED):
            refuse_unfinished(claim.version_id, claim.kind, claim.variant_id, *CANCELED)


def put_off(claim: TaskClaim, pause_s: float, *, counts: bool = True) -> None:
    """Give the task back, to be tried again after a pause. It is counted as an attempt unless nobody is to blame."""
    attempt = claim.attempt if counts else claim.attempt - 1
    with operator_work():
        row_leases.release(
            claim.held, state=State.QUEUED, attempt=attempt, run_after=row_leases.after(pause_s), worker=""
        )


def refuse_unfinished(version_id: int, kind: str, variant_id: UUID | None, code: str, detail: str) -> None:
    """Refuse the version that was not checked to the end, or the variant that was not measured to the end."""
    advice = "Upload the file again." if kind == ModelTask.Kind.VALIDATE else "Start again."
    report = {"refused": {"code": code, "detail": detail, "what_to_do": advice}}
    if kind == ModelTask.Kind.VALIDATE:
        unchecked = ModelVersion.objects.filter(pk=version_id, state=ModelVersion.State.VALIDATING)
        unchecked.update(state=ModelVersion.State.REFUSED, report=report)
    elif variant_id is not None:
        unmeasured = ModelVariant.objects.filter(pk=variant_id, state=ModelVariant.State.MEASURING)
        unmeasured.update(state=ModelVariant.State.REFUSED, report=report)


def _end(claim: TaskClaim, state: str, **values: Any) -> bool:
    return row_leases.release(claim.held, state=state, ended_at=Now(), stage="", **values)
