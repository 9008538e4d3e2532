"""Leases of rows: one process holds a row until `lease_until`, and shows its `lease_token` with all that it writes.

All times are the database's, and no token is given twice. So a late holder, whose row another process has taken, can
neither renew nor release it. If nobody has taken it, the holder can.

Callers describe the rows by querysets: rows that are free, or rows that they hold, by id, token and state.
"""

from datetime import timedelta
from typing import Any, TypeVar, cast

from django.db import connections, transaction
from django.db.models import DateTimeField, Func, Model, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Now
from django.db.models.sql import UpdateQuery

M = TypeVar("M", bound=Model)
CLOCK = Func(function="clock_timestamp", output_field=DateTimeField())
"""The time at which a row is written. It is later than Now() if the statement has waited for the row."""
FREE = Q(lease_until=None) | Q(lease_until__lte=Now())


def after(seconds: float) -> Combinable:
    return CLOCK + timedelta(seconds=seconds)


def unlocked(rows: "QuerySet[M]") -> "QuerySet[M]":
    """Return the rows that are not locked now, to be locked by the statement that uses them."""
    return rows.model._default_manager.filter(pk__in=_locking(rows))


def first_unlocked(queue: "QuerySet[M]") -> "QuerySet[M]":
    """Return the first row that is not locked now. An `IN` instead of `=` could lock another row at each comparison."""
    return queue.model._default_manager.filter(pk=_locking(queue)[:1])


def take(free: "QuerySet[Any]", sequence: str, lease_s: float, returning: str, **changes: Any) -> list[tuple[Any, ...]]:
    """Lease the rows in one statement, and return these columns of each. The sequence numbers the tokens."""
    token = Func(Value(sequence), function="nextval")
    return _update(free, returning, lease_token=token, lease_until=after(lease_s), **changes)


def renew(held: "QuerySet[Any]", lease_s: float) -> bool:
    """Renew the leases. Return False if no row is held any more."""
    with transaction.atomic(using=held.db, savepoint=False):
        return held.update(lease_until=after(lease_s)) > 0


def release(held: "QuerySet[Any]", **changes: Any) -> bool:
    """End the lease and change the row. If the lease is no longer held, return False and write nothing."""
    return held.update(lease_token=None, lease_until=None, **changes) > 0


def sweep(held: "QuerySet[Any]", returning: str, **changes: Any) -> list[tuple[Any, ...]]:
    """Release the rows whose leases have lapsed, and return these columns of each."""
    lapsed = unlocked(held.filter(lease_until__lt=Now()))
    return _update(lapsed, returning, lease_token=None, lease_until=None, **changes)


def _locking(rows: "QuerySet[Any]") -> "QuerySet[Any]":
    return rows.select_for_update(no_key=True, skip_locked=True).values("pk")


def _update(rows: "QuerySet[Any]", returning: str, **changes: Any) -> list[tuple[Any, ...]]:
    query = cast(UpdateQuery, rows.query.chain(UpdateQuery))
    query.add_update_values(changes)
    with transaction.atomic(using=rows.db, savepoint=False), connections[rows.db].cursor() as cursor:
        statement, values = query.get_compiler(rows.db).as_sql()
        cursor.execute(f"{statement} RETURNING {returning}", values)
        return list(cursor.fetchall())
