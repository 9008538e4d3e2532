"""Requests that may be sent again: however often one comes under its key, what it makes is made once.

Whoever comes while the first is at work is told so at once. Nobody waits here: a wait would hold a thread that others
need, and one caller could hold them all.
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

# Both kinds of lock know of each other. One ends with its transaction; the other spans several, and ends with its
# session at the latest: neither outlives a process that dies, and neither ends before one that is frozen.
_FOR_TRANSACTION = "SELECT pg_try_advisory_xact_lock(%s)"
_FOR_SESSION = "SELECT pg_try_advisory_lock(%s)"
_NO_LONGER = "SELECT pg_advisory_unlock(%s)"

# Asks for the turn once more: a session that was lost on the way has lost it, and another may be at work by now.
# What is written as the operator, by another session, cannot ask: whoever else is at work meets the row.
# A row that stands in the way is too old to be answered from, or else it is somebody's who was faster.
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

M = TypeVar("M", bound=TenantOwned | int)


@dataclass(frozen=True)
class Answered(Generic[M]):
    made: M
    """Or how many, where it is no single one."""
    status: int
    """Of the first answer, and so of every one that repeats it."""
    replayed: bool = False
    """It was there already: an earlier request with the same key made it."""


Keep = Callable[[Answered[M]], None]
Look = Callable[[UUID], M]
Read = Callable[[IdempotencyKey], M]


def make_once(sent: Sent | None, *, make: Callable[[], Answered[M]], look: Look[M]) -> Answered[M]:
    """What is made in one transaction, in which its key is kept too: a request that is refused leaves its key free,
    but for one that could not be paid. That one stays refused: whoever has turned away from it is not charged later.

    `look` finds what was made before; both are called in a unit of work.
    """
    return _make_once(sent, make, _looked_up(look))


def count_once(sent: Sent | None, *, make: Callable[[], Answered[int]]) -> Answered[int]:
    """The same of what answers with how many it has made: that is not to be found again, and so kept as it was told."""
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
            # What it wrote is taken back to its own savepoint.
            _keep_refusal(sent, refused)
            unpaid: PaymentRequired | None = refused
        else:
            _keep(sent, first)
            unpaid = None
    if unpaid is not None:
        raise unpaid
    return first


def make_in_steps(sent: Sent | None, *, make: Callable[[Keep[M]], Answered[M]], look: Look[M]) -> Answered[M]:
    """What takes several transactions: `make` calls what it is given in the unit of work that stores what is made."""
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
    """With the installation's secret: else whoever has a file and the database could tell by it that it was here."""
    secret = hmac.digest(settings.MAAS_KEY_PEPPER.encode(), _PURPOSE, "sha256")
    return hmac.digest(secret, f"{sent.tenant_id}: {sent.fingerprint}".encode(), "sha256").hex()


def made_before(sent: Sent | None, look: Look[M]) -> Answered[M] | None:
    """What an earlier request made, for whoever has much to do before its own turn; in that it is looked for again."""
    if sent is None:
        return None
    with unit_of_work(sent.tenant_id):
        is_alone = _locked(_FOR_TRANSACTION, sent)
        earlier = _earlier(sent, _looked_up(look))
        if earlier is None:
            _require_turn(sent, is_alone=is_alone)
    return earlier


def hold(sent: Sent | None) -> Hold | None:
    """Of a key under which nothing has been made: for whoever has much to do that no transaction spans."""
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
    """Looked for before anything else is checked: what was accepted is given whatever became of its model since."""
    kept = remembered_keys().filter(key=sent.kept_as).first()
    if kept is None:
        return None
    # As it stands there, or as it stood there before there was a secret.
    is_same = kept.fingerprint in (_kept_as(sent), sent.fingerprint)
    require_same(sent, kept.operation, sent.fingerprint if is_same else kept.fingerprint)
    if kept.refusal is not None:
        raise PaymentRequired(**kept.refusal)
    try:
        return Answered(read(kept), kept.status, replayed=True)
    except (NotFound, DocumentDeleted, JobErased) as gone:
        raise IdempotentResultGone(
            f"What the first request with the Idempotency-Key {sent.key[:80]!r} made has been deleted since. "
            "Send a new key to make it anew."
        ) from gone


def _keep(sent: Sent, first: Answered[M]) -> None:
    match first.made:
        case int() as count:
            _write(sent, status=first.status, count=count)
        case Job(id=job_id):
            _write(sent, status=first.status, job=job_id)
        case TenantOwned(id=made_id):
            _write(sent, status=first.status, other=made_id)


def _keep_refusal(sent: Sent, refused: PaymentRequired) -> None:
    said = {"detail": refused.detail, "code": refused.code, "extra": refused.extra}
    _write(sent, status=PAYMENT_REQUIRED, refusal=json.dumps(said))


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
    """Without a key there is nothing to be found again by."""


@contextmanager
def _turn(sent: Sent) -> Iterator[bool]:
    """Whether nobody else is at work under this key; if so, until the end nobody else will be."""
    is_alone = _locked_in_session(_FOR_SESSION, sent)
    try:
        yield is_alone
    finally:
        if is_alone:
            with suppress(Error):
                _locked_in_session(_NO_LONGER, sent)


def _locked_in_session(statement: str, sent: Sent) -> bool:
    """Where nobody can tell what became of the lock, the session ends, and the lock with it."""
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
    """Holds are looked for once the lock is there: they are taken under it."""
    if not is_alone:
        raise _in_progress(sent)
    require_not_held(sent)


def _in_progress(sent: Sent) -> RequestInProgress:
    return RequestInProgress(
        f"A request with the Idempotency-Key {sent.key[:80]!r} is still at work. Send this again in {AGAIN_S} s for "
        "its answer.",
        extra={"retry_after_s": AGAIN_S},
    )
