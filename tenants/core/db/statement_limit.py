"""Ends database statements that take too long, so that no query holds a thread, or rows that others need, forever."""

from collections.abc import Mapping

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from tenants.core.db.unit_of_work import APP, OPERATOR

MIN_S = 30
UPKEEP_S = 600
"""The limit for the scheduler, whose checks read whole tables."""


def statement_limit_s() -> int:
    """Return the limit of requests and pages: longer than a transaction may be idle with a lock that they wait for."""
    return max(MIN_S, 2 * settings.MAAS_LEASE_S)


def limit_statements(limit_s: int) -> None:
    """Set the limit in this process, for tenants' data and for the operator. The owner, who migrates, has none."""
    limits_s = dict.fromkeys((APP, OPERATOR), limit_s)
    # Of two receivers with one id, Django keeps the first. The last limit is the one that counts.
    connection_created.disconnect(dispatch_uid=__name__)
    connection_created.connect(_Limiter(limits_s), dispatch_uid=__name__, weak=False)


class _Limiter:
    def __init__(self, limits_s: Mapping[str, int]) -> None:
        self._limits_s = limits_s

    def __call__(self, connection: BaseDatabaseWrapper, **_: object) -> None:
        limit_s = self._limits_s.get(connection.alias)
        if limit_s is not None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{limit_s}s"])
