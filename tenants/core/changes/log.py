"""Reads and prunes the table of changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connections

from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work

KEPT_S = 600
"""Seconds for which a change can be read. A process that could not read for longer remembers nothing."""

# What a snapshot sees and an earlier one did not is what was committed in between, however long a transaction ran.
_READ = """
SELECT now.snapshot::text, change.kind, change.ref
FROM (SELECT pg_current_snapshot() AS snapshot) AS now
LEFT JOIN tenants_change AS change
    ON change.xid >= pg_snapshot_xmin(%(before)s::pg_snapshot)
    AND NOT pg_visible_in_snapshot(change.xid, %(before)s::pg_snapshot)
"""
_BEGIN = "SELECT pg_current_snapshot()::text"
_FORGET = "DELETE FROM tenants_change WHERE at < clock_timestamp() - %s * interval '1 second'"


class Change(NamedTuple):
    kind: str
    """`tenant`, `plan` or `model`."""
    ref: str


@dataclass(frozen=True, slots=True)
class Reading:
    snapshot: str
    """The position from which the next reading goes on."""
    changes: Sequence[Change] = ()


def read_changes(before: str | None) -> Reading:
    """Return what was committed since the snapshot `before`, or only a snapshot to begin with."""
    with connections[APP].cursor() as cursor:
        if before is None:
            cursor.execute(_BEGIN)
            return Reading(cursor.fetchone()[0])
        cursor.execute(_READ, {"before": before})
        rows = cursor.fetchall()
    return Reading(rows[0][0], tuple(Change(kind, ref) for _, kind, ref in rows if kind is not None))


def next_transaction(snapshot: str) -> int:
    """Return the number below which every transaction had begun. It only grows, unless a backup was restored."""
    return int(snapshot.split(":")[1])


def forget_old_changes() -> None:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_FORGET, [KEPT_S])
