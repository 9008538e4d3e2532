"""Files that are to be erased, written down in the database, so that none outlives what pointed at it.

An order to erase a file is written in the transaction that lets go of the file, and also before a file is saved: the
transaction that writes the row which points at it withdraws it again. What is left of either is due, and the
scheduler carries it out. No order that was taken up once can be withdrawn.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog
from django.db import connections, transaction

from jobs.core.errors import StorageUnavailable
from jobs.core.models import FileToErase
from jobs.documents import files
from tenants.core.db.unit_of_work import APP, OPERATOR, current_tenant_id, operator_work, unit_of_work
from tenants.core.ids import uuid7

log = structlog.get_logger(__name__)
TIME_TO_KEEP = timedelta(minutes=15)
"""Between the save of a file and the row that points at it; whoever takes longer has to save it again."""
_SLOWEST_SAVE = 2**20
"""Bytes a second."""
AT_ONCE_S = 2.0
BATCH = 200
ROUND_S = 20.0

_ORDER = """
INSERT INTO jobs_filetoerase (id, tenant_id, name, due_at, attempts)
SELECT id, %(tenant)s, name, statement_timestamp() + %(due_in)s, 0
FROM unnest(%(ids)s::uuid[], %(names)s::text[]) AS one (id, name)
ON CONFLICT DO NOTHING
"""
_WITHDRAW = "DELETE FROM jobs_filetoerase WHERE tenant_id = %s AND name = %s AND attempts = 0"
_TAKE = """
UPDATE jobs_filetoerase
SET attempts = attempts + 1,
    due_at = statement_timestamp() + least(interval '5 seconds' * 2 ^ least(attempts, 7), interval '10 minutes')
WHERE id = (
    SELECT id FROM jobs_filetoerase WHERE due_at <= statement_timestamp()
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING id, name, attempts
"""
_TAKE_UP = """
UPDATE jobs_filetoerase SET attempts = 1, due_at = statement_timestamp() + interval '5 seconds'
WHERE name = ANY(%s) AND attempts = 0 RETURNING name
"""


def time_to_keep(size_bytes: int) -> timedelta:
    """What the save of a large file takes by itself comes on top."""
    return TIME_TO_KEEP + timedelta(seconds=size_bytes // _SLOWEST_SAVE)


def order(names: Sequence[str], *, due_in: timedelta = timedelta()) -> None:
    """Inside the tenant's unit of work."""
    values: dict[str, Any] = {
        "tenant": current_tenant_id(),
        "ids": [uuid7() for _ in names],
        "names": list(names),
        "due_in": due_in,
    }
    with connections[APP].cursor() as cursor:
        cursor.execute(_ORDER, values)


def order_twice(name: str, *, again_in: timedelta) -> None:
    """After commit, and once more then: who writes to it still may end after it was erased."""
    order([name], due_in=again_in)
    transaction.on_commit(lambda: _erase(name), using=APP, robust=True)


def withdraw(name: str) -> None:
    """In the transaction that writes the row which points at the file; refused when it may be erased already."""
    with connections[APP].cursor() as cursor:
        cursor.execute(_WITHDRAW, [current_tenant_id(), name])
        if not cursor.rowcount:
            raise StorageUnavailable("The service's storage took too long. Try again later.")


class Patience:
    """How long somebody who waits for erasures is kept waiting, for however many; what is left is the scheduler's."""

    def __init__(self, patience_s: float = AT_ONCE_S) -> None:
        self._until_s = time.monotonic() + patience_s

    @property
    def over(self) -> bool:
        return time.monotonic() > self._until_s

    def end(self) -> None:
        """Storage that fails once is not asked again and again while somebody waits."""
        self._until_s = 0.0


def carry_out_now(tenant_id: UUID, names: Sequence[str], patience: Patience | None = None) -> None:
    """After commit, while somebody waits: what fails or takes too long is left to the scheduler."""
    patience = patience or Patience()
    erased = []
    for name in names:
        if patience.over:
            break
        if not _erase(name):
            patience.end()
            break
        erased.append(name)
    if erased:
        with unit_of_work(tenant_id):
            FileToErase.objects.filter(name__in=erased).delete()


def carry_out_orders(tenant_id: UUID, names: Sequence[str]) -> None:
    """Of those that are ordered still: a file whose order was withdrawn by now belongs to a row, and stays.

    Whoever is about to withdraw an order that was taken up here is refused.
    """
    with unit_of_work(tenant_id), connections[APP].cursor() as cursor:
        cursor.execute(_TAKE_UP, [list(names)])
        taken = [str(row[0]) for row in cursor.fetchall()]
    carry_out_now(tenant_id, taken)


def erase_due_files() -> int:
    """How many files were erased. Any number of processes may do this at once, and die in the middle."""
    erased = 0
    until = time.monotonic() + ROUND_S
    with operator_work():
        for _ in range(BATCH):
            taken = _take() if time.monotonic() < until else None
            if taken is None:
                break
            if _erase(taken.name, taken.attempts):
                FileToErase.objects.filter(id=taken.id).delete()
                erased += 1
    return erased


@dataclass(frozen=True)
class _Taken:
    """Due again later, should whoever took it fail or die."""

    id: UUID
    name: str
    attempts: int


def _take() -> _Taken | None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TAKE)
        row = cursor.fetchone()
    return _Taken(*row) if row else None


def _erase(name: str, attempts: int = 0) -> bool:
    try:
        files.erase(name)
    except StorageUnavailable as error:
        log.warning("file_not_erased", name=name, attempts=attempts, error=str(error.__cause__))
        return False
    return True
