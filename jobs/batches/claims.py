"""Claims, renewals and hand-backs of the tasks of batches. A token fences each of them.

Locks are always taken on the batch first, and then on the task.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction
from django.db.models import Case, F, JSONField, Q, QuerySet, Value, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now

from jobs.batches import states
from jobs.batches.models import Batch, BatchTask
from tenants.api_keys.models import ApiKey
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.leases import row_leases
from tenants.plans.prices import Price

MAX_AT_ONCE = 8
"""The tasks of one batch that run at the same time, however many workers there are. With their windows, this is far
less than an RPC queue lets wait.
"""
CANDIDATES = 8

# The tenant that is served least comes first: by what runs for it now, then by when it was last served.
_TURNS = """
WITH active AS (
    SELECT batch.id, batch.tenant_id, batch.served_at,
        (SELECT count(*) FROM jobs_batchtask task WHERE task.batch_id = batch.id AND task.state = 'running') AS running,
        EXISTS (
            SELECT FROM jobs_batchtask task
            WHERE task.batch_id = batch.id AND task.state = 'queued' AND task.run_after <= clock_timestamp()
                AND (tenant.state = 'active' OR task.kind = 'merge' OR batch.ending <> '')
        ) AS waits
    FROM jobs_batch batch JOIN tenants_tenant tenant ON tenant.id = batch.tenant_id
    WHERE batch.status IN ('validating', 'in_progress', 'cancelling', 'finalizing')
), tenants AS (
    SELECT tenant_id, sum(running) AS running, max(served_at) AS served_at FROM active GROUP BY tenant_id
)
SELECT active.id FROM active JOIN tenants USING (tenant_id)
WHERE active.waits AND active.running < %(most)s
ORDER BY tenants.running, tenants.served_at NULLS FIRST, active.running, active.id LIMIT %(candidates)s
"""
_WITH_THE_LINE = RawSQL("crashing_lines || to_jsonb(at_line)", (), JSONField())  # a constant


@dataclass(frozen=True)
class TaskClaim:
    """The right to work on one task, as long as the lease is renewed and the token is the latest."""

    tenant_id: UUID
    batch_id: UUID
    task_id: UUID
    kind: str
    attempt: int
    token: int
    input: str
    answered: int
    """The number of lines at the beginning of the slice whose responses are in `output` and `errors`."""
    output: str
    errors: str
    crashing_lines: frozenset[int]
    endpoint: str
    input_file_id: UUID
    livemode: bool
    price: Price | None
    cached_price: Price | None
    """The price of lines whose responses are cached. None for batches that are older than this field."""
    model_key: str | None
    """The key of the model. The key and the price are known once the file has been checked."""
    ending: str
    api_key_id: UUID | None
    key_models: tuple[str, ...] = ()
    """The only models that the API key may run now. If it is empty, any model may be run, as for a key that no longer
    exists.
    """

    @property
    def tries(self) -> int:
        """The number of tries, including this one. Lines on which workers died do not count against the other lines."""
        return self.attempt - len(self.crashing_lines)

    @property
    def held(self) -> "QuerySet[BatchTask]":
        """Return the row of the task, while this claim holds it."""
        return BatchTask.objects.filter(id=self.task_id, lease_token=self.token, state=states.RUNNING)


@dataclass(frozen=True, slots=True)
class LostTask:
    task_id: UUID
    batch_id: UUID
    worker: str


def claim_task(worker: str) -> TaskClaim | None:
    """Claim a task. Return None if no task waits that may run now."""
    with operator_work():
        for batch_id in _candidates():
            claim = _claim(batch_id, worker)
            if claim is not None:
                return claim
    return None


def _candidates() -> list[UUID]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TURNS, {"most": MAX_AT_ONCE, "candidates": CANDIDATES})
        return [batch_id for (batch_id,) in cursor.fetchall()]


def _claim(batch_id: UUID, worker: str) -> TaskClaim | None:
    with transaction.atomic(using=OPERATOR):
        unlocked = Batch.objects.select_for_update(of=("self",), no_key=True, skip_locked=True)
        batch = unlocked.select_related("model_version__served_model").filter(id=batch_id).first()
        if batch is None:
            return None
        waiting = batch.tasks.filter(state=states.QUEUED, run_after__lte=Now()).order_by("number")
        rows = row_leases.take(
            row_leases.first_unlocked(waiting),
            "jobs_fencing_token",
            settings.MAAS_LEASE_S,
            "id, kind, attempt, lease_token, input, crashing_lines, answered, output, errors",
            state=states.RUNNING,
            attempt=F("attempt") + 1,
            worker=worker,
            crashing_lines=Case(When(at_line=None, then="crashing_lines"), default=_WITH_THE_LINE),
            at_line=None,
        )
        if not rows:
            return None
        Batch.objects.filter(id=batch_id).update(served_at=row_leases.CLOCK)
        key = ApiKey.objects.filter(id=batch.api_key_id).first() if batch.api_key_id else None
    task_id, kind, attempt, token, slice_, crashing_lines, answered, output, errors = rows[0]
    return TaskClaim(
        tenant_id=batch.tenant_id,
        batch_id=batch_id,
        task_id=task_id,
        kind=kind,
        attempt=attempt,
        token=token,
        input=slice_,
        crashing_lines=frozenset(json.loads(crashing_lines)),
        answered=answered,
        output=output,
        errors=errors,
        endpoint=batch.endpoint,
        input_file_id=batch.input_file_id,
        livemode=batch.livemode,
        price=batch.price and Price.from_json(batch.price),
        cached_price=batch.cached_price and Price.from_json(batch.cached_price),
        model_key=batch.model_version.key if batch.model_version else None,
        ending=batch.ending,
        api_key_id=batch.api_key_id,
        key_models=tuple(key.allowed_models) if key else (),
    )


def renew_tasks(claims: Sequence[TaskClaim]) -> dict[int, str]:
    """Renew the leases and return the tokens that are still valid, each with how its batch is to end, or `suspended`.
    If a token is missing, the work must stop.
    """
    tokens = [claim.token for claim in claims]
    ids = [claim.task_id for claim in claims]
    with operator_work():
        held = BatchTask.objects.filter(id__in=ids, lease_token__in=tokens, state=states.RUNNING)
        # A task whose row is locked now, for example by its own finish, is not waited for: the leases of all others
        # would end meanwhile. It is still held. It is renewed the next time, or is finished by then.
        row_leases.renew(row_leases.unlocked(held), settings.MAAS_LEASE_S)
        suspended = When(~Q(batch__tenant__state="active"), batch__ending="", then=Value(states.SUSPENDED))
        return dict(held.values_list("lease_token", Case(suspended, default="batch__ending")))


def put_off(claim: TaskClaim, pause_s: float = 0.0, *, counts: bool = False) -> None:
    """Return a task whose work was ended before it was done. The attempt does not count unless `counts` is set."""
    with operator_work():
        requeue(claim, pause_s, counts=counts)


def requeue(claim: TaskClaim, pause_s: float, *, counts: bool = False) -> bool:
    return row_leases.release(
        claim.held,
        state=states.QUEUED,
        attempt=F("attempt") - int(not counts),
        at_line=None,
        run_after=row_leases.after(pause_s),
    )


def note_line(claim: TaskClaim, line_number: int | None) -> bool:
    """Record a line before it runs, so that it is known if the worker dies on it. Return False if the lease was
    lost.
    """
    with operator_work():
        return claim.held.update(at_line=line_number) == 1


def take_from_silent_workers() -> list[LostTask]:
    with operator_work():
        running = BatchTask.objects.filter(state=states.RUNNING)
        lost = row_leases.sweep(running, "id, batch_id, worker", state=states.QUEUED, run_after=row_leases.CLOCK)
        return [LostTask(*row) for row in lost]
