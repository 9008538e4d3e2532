"""Requests that may be sent again. However often a request comes with the same key, its result is made once.

A request that comes while the first one is in progress is refused at once. It does not wait: a wait would occupy a
thread that others need, and one caller could occupy all of them.
"""

import hmac
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import Error, connections

from inference.registry.models import ModelTask
from jobs.core.errors import DocumentDeleted, IdempotentResultGone, JobErased, RequestInProgress
from jobs.core.models import Job
from jobs.idempotency.expiry import REMEMBERED, remembered_keys
from jobs.idempotency.holds import Hold, require_not_held, take
from jobs.idempotency.keys import Sent, require_same
from jobs.idempotency.models import IdempotencyKey
from tenants.billing.ledger.errors import PaymentRequired
from tenants.core.db.tenant_owned import TenantOwned
from tenants.core.db.unit_of_work import APP, OPERATOR, current_alias, unit_of_work
from tenants.core.errors import NotFound
from tenants.core.ids import uuid7

AGAIN_S = 1
PAYMENT_REQUIRED = 402
_PURPOSE = b"requests under a key"

# The two kinds of locks exclude each other. One ends with its transaction. The other spans several transactions, and
# ends with its session at the latest. Neither outlives a process that dies, and neither ends before a process that is
# frozen.
_FOR_TRANSACTION = "SELECT pg_try_advisory_xact_lock(%s)"
_FOR_SESSION = "SELECT pg_try_advisory_lock(%s)"
_NO_LONGER = "SELECT pg_advisory_unlock(%s)"

# The statement takes the lock again: a session that was lost meanwhile has lost its lock, and another request may be in
# progress by now. A write in the operator's session, which is another session, cannot check this; a concurrent request
# meets the row. A row that conflicts is either too old to answer from, or it was written by a request that was faster.
_KEEP = """
INSERT INTO jobs_idempotencykey AS kept
    (id, tenant_id, key, operation, fingerprint, status, job_id, made_id, made_count, refusal, created_at)
SELECT %(id)s, %(tenant)s, %(key)s, %(operation)s, %(fingerprint)s, %(status)s, %(job)s, %(other)s, %(count)s,
    %(refusal)s::jsonb, statement_timestamp()
WHERE %(by_operator)s OR pg_try_advisory_xact_lock(%(lock)s)
ON CONFLICT (tenant_id, key) DO UPDATE SET
    operation = EXCLUDED.operation, fingerprint = EXCLUDED.fingerprint, status = EXCLUDED.status,
    job_id = EXCLUDED.job_id, made_id = EXCLUDED.made_id, made_count = EXCLUDED.made_count,
    refusal = EXCLUDED.refusal, created_at = EXCLUDED.created_at
WHERE kept.created_at <= statement_timestamp() - make_interval(secs => %(remembered_s)s)
"""

M = TypeVar("M", bound=TenantOwned | ModelTask | int)


@dataclass(frozen=True)
class Answered(Generic[M]):
    made: M
    """The object that was made, or the number of objects if it is not a single one."""
    status: int
    """The status of the first response, and so of every repetition of it."""
    replayed: bool = False
    """Set if the result existed already, because an earlier request with the same key made it."""


Keep = Callable[[Answered[M]], None]
Look = Callable[[UUID], M]
Read = Callable[[IdempotencyKey], M]


def make_once(sent: Sent | None, *, make: Callable[[], Answered[M]], look: Look[M]) -> Answered[M]:
    """Create an object and store the request's idempotency key, in one transaction. If the key is already stored,
    return the object that `look` finds. Both functions are called in a unit of work.

    A refused request does not use up its key, so it may be sent again. The exception is a request that could not be
    paid: its refusal is stored and returned again, so that a caller that has given up on the request is not charged
    later.
    """
    return _make_once(sent, make, _looked_up(look))


def count_once(sent: Sent | None, *, make: Callable[[], Answered[int]]) -> Answered[int]:
    """Do the same as `make_once` for a request that returns the number of objects that it created. The number is stored
    with the key, because it cannot be looked up later.
    """
    return _make_once(sent, make, _count_of)


def _make_once(sent: Sent | None, make: Callable[[], Answered[M]], read: Read[M]) -> Answered[M]:
    if sent is None:
        return make()
    with unit_of_work(sent.tenant_id):
        is_alone = _locked(_FOR_TRANSACTION, sent)
        earlier = _earlier(sent, read)
        if earlier is not None:
            return earlier
        _require_turn(sent, is_alone=is_alone)
        try:
            first = make()
        except PaymentRequired as refused:
            # What the request wrote is rolled back to its own savepoint.
            _keep_refusal(sent, refused)
            unpaid: PaymentRequired | None = refused
        else:
            _keep(sent, first)
            unpaid = None
    if unpaid is not None:
        raise unpaid
    return first


def make_in_steps(sent: Sent | None, *, make: Callable[[Keep[M]], Answered[M]], look: Look[M]) -> Answered[M]:
    """Make something that takes several transactions. `make` calls the function that it is given in the unit of work
    that stores the result.
    """
    if sent is None:
        return make(_keep_nothing)
    with _turn(sent) as is_alone:
        with unit_of_work(sent.tenant_id):
            earlier = _earlier(sent, _looked_up(look))
            if earlier is None:
                _require_turn(sent, is_alone=is_alone)
        if earlier is not None:
            return earlier
        try:
            return make(partial(_keep, sent))
        except PaymentRequired as refused:
            with unit_of_work(sent.tenant_id):
                _keep_refusal(sent, refused)
            raise


def _kept_as(sent: Sent) -> str:
    """Return the stored form of a fingerprint, which includes the secret of the installation. Without the secret, a
    person with a file and the database could find out that the file was sent here.
    """
    secret = hmac.digest(settings.MAAS_KEY_PEPPER.encode(), _PURPOSE, "sha256")
    return hmac.digest(secret, f"{sent.tenant_id}: {sent.fingerprint}".encode(), "sha256").hex()


def made_before(sent: Sent | None, look: Look[M]) -> Answered[M] | None:
    """Return what an earlier request made, for a caller that has much to do before it takes the lock. The caller looks
    for it again under the lock.
    """
    if sent is None:
        return None
    with unit_of_work(sent.tenant_id):
        is_alone = _locked(_FOR_TRANSACTION, sent)
        earlier = _earlier(sent, _looked_up(look))
        if earlier is None:
            _require_turn(sent, is_alone=is_alone)
    return earlier


def hold(sent: Sent | None) -> Hold | None:
    """Hold an unused key for a request that takes more than one transaction."""
    if sent is None:
        return None
    with unit_of_work(sent.tenant_id):
        is_alone = _locked(_FOR_TRANSACTION, sent) and not remembered_keys().filter(key=sent.kept_as).exists()
        _require_turn(sent, is_alone=is_alone)
        return take(sent)


def _looked_up(look: Look[M]) -> Read[M]:
    return lambda kept: look(kept.result_id)


def _count_of(kept: IdempotencyKey) -> int:
    assert kept.made_count is not None
    return kept.made_count


def _earlier(sent: Sent, read: Read[M]) -> Answered[M] | None:
    """Return the result of an earlier request. This comes before all other checks, because a request that was accepted
    is answered again even if its model is no longer available.
    """
    kept = remembered_keys().filter(key=sent.kept_as).first()
    if kept is None:
        return None
    # The fingerprint is the stored form, or the form that was stored before there was a secret.
    is_same = kept.fingerprint in (_kept_as(sent), sent.fingerprint)
    require_same(sent, kept.operation, sent.fingerprint if is_same else kept.fingerprint)
    if kept.refusal is not None:
        raise PaymentRequired(**kept.refusal)
    try:
        return Answered(read(kept), kept.status, replayed=True)
    except (NotFound, DocumentDeleted, JobErased) as gone:
        raise IdempotentResultGone(
            f"The result of the first request with the Idempotency-Key {sent.key[:80]!r} was deleted. "
            "Use a new key to create it again."
        ) from gone


def _keep(sent: Sent, first: Answered[M]) -> None:
    match first.made:
        case int() as count:
            _write(sent, status=first.status, count=count)
        case Job(id=job_id):
            _write(sent, status=first.status, job=job_id)
        case TenantOwned(id=made_id) | ModelTask(id=made_id):
            _write(sent, status=first.status, other=made_id)
        case _:
            raise TypeError(f"{type(first.made).__name__} cannot be found again")


def _keep_refusal(sent: Sent, refused: PaymentRequired) -> None:
    refusal = {"detail": refused.detail, "code": refused.code, "extra": refused.extra}
    _write(sent, status=PAYMENT_REQUIRED, refusal=json.dumps(refusal))


def _write(
    sent: Sent,
    *,
    status: int,
    job: UUID | None = None,
    other: UUID | None = None,
    count: int | None = None,
    refusal: str | None = None,
) -> None:
    alias = current_alias()
    row: dict[str, UUID | str | int | float | None] = {
        "id": uuid7(),
        "tenant": sent.tenant_id,
        "key": sent.kept_as,
        "operation": sent.operation,
        "fingerprint": _kept_as(sent),
        "status": status,
        "job": job,
        "other": other,
        "count": count,
        "refusal": refusal,
        "lock": sent.lock_id,
        "by_operator": alias == OPERATOR,
        "remembered_s": REMEMBERED.total_seconds(),
    }
    with connections[alias].cursor() as cursor:
        cursor.execute(_KEEP, row)
        if cursor.rowcount == 0:
            raise _in_progress(sent)


def _keep_nothing(first: Answered[M]) -> None:
    """Store nothing. Without a key, the result cannot be found again."""


@contextmanager
def _turn(sent: Sent) -> Iterator[bool]:
    """Yield whether no other request works under this key. If so, no other request will until the context ends."""
    is_alone = _locked_in_session(_FOR_SESSION, sent)
    try:
        yield is_alone
    finally:
        if is_alone:
            with suppress(Error):
                _locked_in_session(_NO_LONGER, sent)


def _locked_in_session(statement: str, sent: Sent) -> bool:
    """Run a statement about a session lock. If it fails and the state of the lock is unknown, the session is closed,
    and the lock ends with it.
    """
    try:
        return _locked(statement, sent)
    except Error:
        connections[APP].close()
        raise


def _locked(statement: str, sent: Sent) -> bool:
    with connections[APP].cursor() as cursor:
        cursor.execute(statement, [sent.lock_id])
        return bool(cursor.fetchone()[0])


def _require_turn(sent: Sent, *, is_alone: bool) -> None:
    """Raise RequestInProgress if another request works under this key. Holds are looked up after the lock is taken,
    because they are taken under it.
    """
    if not is_alone:
        raise _in_progress(sent)
    require_not_held(sent)


def _in_progress(sent: Sent) -> RequestInProgress:
    return RequestInProgress(
        f"A request with the Idempotency-Key {sent.key[:80]!r} is in progress. Send this again in {AGAIN_S} s to get "
        "its response.",
        extra={"retry_after_s": AGAIN_S},
    )
