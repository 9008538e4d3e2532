"""Claims, renewals and hand-backs of the tasks of batches. Each is one conditional statement that is fenced by a token.

Locks are always taken on the batch first, and then on the task.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction

from tenants.core.db.unit_of_work import OPERATOR, operator_work
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

_LOCK = "SELECT FROM jobs_batch WHERE id = %s FOR NO KEY UPDATE SKIP LOCKED"

_CLAIM = """
WITH claimed AS (
    UPDATE jobs_batchtask task
    SET state = 'running', attempt = attempt + 1, lease_token = nextval('jobs_fence'), worker = %(worker)s,
        lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s),
        crashing_lines = CASE WHEN at_line IS NULL THEN crashing_lines ELSE crashing_lines || to_jsonb(at_line) END,
        at_line = NULL
    WHERE task.id = (
        SELECT id FROM jobs_batchtask
        WHERE batch_id = %(batch)s AND state = 'queued' AND run_after <= clock_timestamp()
        ORDER BY number LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    )
    RETURNING task.*
), served AS (
    UPDATE jobs_batch SET served_at = clock_timestamp() FROM claimed WHERE jobs_batch.id = claimed.batch_id
)
SELECT claimed.tenant_id, claimed.batch_id, claimed.id, claimed.kind, claimed.attempt, claimed.lease_token,
    claimed.input, claimed.crashing_lines, claimed.answered, claimed.output, claimed.errors,
    batch.endpoint, batch.input_file_id, batch.livemode, batch.price, batch.cached_price,
    model.name || '@' || version.number, batch.ending, batch.api_key_id,
    (SELECT allowed_models FROM tenants_apikey WHERE id = batch.api_key_id)
FROM claimed JOIN jobs_batch batch ON batch.id = claimed.batch_id
LEFT JOIN inference_modelversion version ON version.id = batch.model_version_id
LEFT JOIN inference_servedmodel model ON model.id = version.served_model_id
"""

# A task whose row is locked at this moment, for example by its own finish that waits for another row, is not waited
# for: the leases of all others would end meanwhile. It is still held. It is renewed the next time, or is finished by
# then.
_RENEW = """
WITH held AS (
    SELECT task.id, task.batch_id, task.lease_token
    FROM jobs_batchtask task JOIN unnest(%(tasks)s::uuid[], %(tokens)s::bigint[]) AS claim (id, token)
        ON task.id = claim.id AND task.lease_token = claim.token
    WHERE task.state = 'running'
), free AS (
    SELECT id FROM jobs_batchtask
    WHERE id IN (SELECT id FROM held) AND lease_token = ANY(%(tokens)s::bigint[]) AND state = 'running'
    FOR NO KEY UPDATE SKIP LOCKED
), renewed AS (
    UPDATE jobs_batchtask SET lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
    FROM free WHERE jobs_batchtask.id = free.id
)
SELECT held.lease_token,
    CASE WHEN batch.ending = '' AND tenant.state <> 'active' THEN 'suspended' ELSE batch.ending END
FROM held JOIN jobs_batch batch ON batch.id = held.batch_id
JOIN tenants_tenant tenant ON tenant.id = batch.tenant_id
"""

_PUT_OFF = """
UPDATE jobs_batchtask
SET state = 'queued', attempt = attempt - %(uncounted)s, lease_token = NULL, lease_until = NULL, at_line = NULL,
    run_after = clock_timestamp() + make_interval(secs => %(pause_s)s)
WHERE id = %(task)s AND lease_token = %(token)s AND state = 'running'
"""

_AT_LINE = """
UPDATE jobs_batchtask SET at_line = %(line)s WHERE id = %(task)s AND lease_token = %(token)s AND state = 'running'
"""

_SWEEP = """
UPDATE jobs_batchtask SET state = 'queued', lease_token = NULL, lease_until = NULL, run_after = clock_timestamp()
WHERE id IN (
    SELECT id FROM jobs_batchtask WHERE state = 'running' AND lease_until < clock_timestamp() FOR UPDATE SKIP LOCKED
)
RETURNING id, batch_id, worker
"""


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
    crashing_lines: frozenset[int]
    answered: int
    """The number of lines at the beginning of the slice whose responses are in `output` and `errors`."""
    output: str
    errors: str
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


@dataclass(frozen=True, slots=True)
class LostTask:
    task_id: UUID
    batch_id: UUID
    worker: str


def claim_task(worker: str) -> TaskClaim | None:
    """Claim a task. Return None if no task waits that may run now."""
    with operator_work():
        for batch_id in _candidates():
            row = _claim(batch_id, worker)
            if row is not None:
                return _claim_of(row)
    return None


def _candidates() -> list[UUID]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TURNS, {"most": MAX_AT_ONCE, "candidates": CANDIDATES})
        return [batch_id for (batch_id,) in cursor.fetchall()]


def _claim(batch_id: UUID, worker: str) -> Sequence[Any] | None:
    values: dict[str, Any] = {"batch": batch_id, "worker": worker, "lease_s": settings.MAAS_LEASE_S}
    with transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_LOCK, [batch_id])
        if cursor.fetchone() is None:
            return None
        cursor.execute(_CLAIM, values)
        row: Sequence[Any] | None = cursor.fetchone()
        return row


def _claim_of(row: Sequence[Any]) -> TaskClaim:
    tenant_id, batch_id, task_id, kind, attempt, token, slice_, deadly, *rest = row
    answered, output, errors, endpoint, *batch = rest
    file_id, livemode, price, cached_price, model_key, ending, key_id, key_models = batch
    return TaskClaim(
        tenant_id=tenant_id,
        batch_id=batch_id,
        task_id=task_id,
        kind=kind,
        attempt=attempt,
        token=token,
        input=slice_,
        crashing_lines=frozenset(json.loads(deadly)),
        answered=answered,
        output=output,
        errors=errors,
        endpoint=endpoint,
        input_file_id=file_id,
        livemode=livemode,
        price=_price(price),
        cached_price=_price(cached_price),
        model_key=model_key,
        ending=ending,
        api_key_id=key_id,
        key_models=tuple(key_models or ()),
    )


def _price(written: str | None) -> Price | None:
    return None if written is None else Price.from_json(json.loads(written))


def renew_tasks(claims: Sequence[TaskClaim]) -> dict[int, str]:
    """Renew the leases and return the tokens that are still valid, each with how its batch is to end, or `suspended`.
    If a token is missing, the work must stop.
    """
    values: dict[str, Any] = {
        "tasks": [claim.task_id for claim in claims],
        "tokens": [claim.token for claim in claims],
        "lease_s": settings.MAAS_LEASE_S,
    }
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_RENEW, values)
        return dict(cursor.fetchall())


def put_off(claim: TaskClaim, pause_s: float = 0.0, *, counts: bool = False) -> None:
    """Return a task whose work was ended before it was done. The attempt does not count unless `counts` is set."""
    values: dict[str, Any] = {
        "task": claim.task_id,
        "token": claim.token,
        "pause_s": pause_s,
        "uncounted": int(not counts),
    }
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_PUT_OFF, values)


def note_line(claim: TaskClaim, line: int | None) -> bool:
    """Record a line before it runs, so that it is known if the worker dies on it. Return False if the claim is fenced
    off.
    """
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_AT_LINE, {"task": claim.task_id, "token": claim.token, "line": line})
        return bool(cursor.rowcount == 1)


def take_from_silent_workers() -> list[LostTask]:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_SWEEP)
        return [LostTask(*row) for row in cursor.fetchall()]
