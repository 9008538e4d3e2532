"""Orders to erase files, recorded in the database, so that no file outlives the row that pointed at it.

An order is written in the transaction that gives up a file, and before a file is saved. The row that points at a saved
file withdraws its order. The scheduler carries out what remains. An order that was taken up cannot be withdrawn.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog
from django.db import connections

from jobs.core.errors import StorageUnavailable
from jobs.core.models import FileToErase
from jobs.documents import files
from tenants.core.db.unit_of_work import APP, OPERATOR, current_tenant_id, operator_work, unit_of_work
from tenants.core.ids import uuid7

log = structlog.get_logger(__name__)
TIME_TO_KEEP = timedelta(minutes=15)
"""The time between the save of a file and its row. A slower caller has to save the file again."""
_SLOWEST_SAVE = 2**20
"""The speed of the slowest save, in bytes a second."""
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
    """Return the time until a row must point at a file of this size, which includes the time to save it."""
    return TIME_TO_KEEP + timedelta(seconds=size_bytes // _SLOWEST_SAVE)


def order(names: Sequence[str], *, due_in: timedelta = timedelta()) -> None:
    """Record that the files are to be erased. Call this inside the tenant's unit of work."""
    values: dict[str, Any] = {
        "tenant": current_tenant_id(),
        "ids": [uuid7() for _ in names],
        "names": list(names),
        "due_in": due_in,
    }
    with connections[APP].cursor() as cursor:
        cursor.execute(_ORDER, values)


def withdraw(name: str) -> None:
    """Withdraw the order in the transaction that writes the file's row, or raise StorageUnavailable if too late."""
    with connections[APP].cursor() as cursor:
        cursor.execute(_WITHDRAW, [current_tenant_id(), name])
        if not cursor.rowcount:
            raise StorageUnavailable("The storage took too long. Try again later.")


class Deadline:
    """The time that a caller waits for erasures, however many there are. The scheduler carries out the rest."""

    def __init__(self, timeout_s: float = AT_ONCE_S) -> None:
        self._until_s = time.monotonic() + timeout_s

    @property
    def over(self) -> bool:
        return time.monotonic() > self._until_s

    def end(self) -> None:
        """End the wait. After a first failure, the storage is not called again while a caller waits."""
        self._until_s = 0.0


def carry_out_now(tenant_id: UUID, names: Sequence[str], deadline: Deadline | None = None) -> None:
    """Erase files after commit, while a caller waits. Files that fail or take too long are left to the scheduler."""
    deadline = deadline or Deadline()
    erased = []
    for name in names:
        if deadline.over:
            break
        if not _erase(name):
            deadline.end()
            break
        erased.append(name)
    if erased:
        with unit_of_work(tenant_id):
            FileToErase.objects.filter(name__in=erased).delete()


def carry_out_orders(tenant_id: UUID, names: Sequence[str]) -> None:
    """Erase files that still have an order, which can then not be withdrawn. The others belong to a row and stay."""
    with unit_of_work(tenant_id), connections[APP].cursor() as cursor:
        cursor.execute(_TAKE_UP, [list(names)])
        taken = [str(row[0]) for row in cursor.fetchall()]
    carry_out_now(tenant_id, taken)


def erase_due_files() -> int:
    """Erase the due files and return their number. Any number of processes may do this at once, or die."""
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
    """An order that was taken up. It becomes due again later if the process that took it fails or dies."""

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
