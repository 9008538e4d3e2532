"""Ends database statements of a request that take too long, so that no query holds a thread forever."""

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from tenants.core.db.unit_of_work import APP

SHORTEST_S = 30


def limit_statements() -> None:
    """Set the limit for tenants' data in this process. Workers, migrations, backups and the admin have none."""
    connection_created.connect(_limit, dispatch_uid=__name__)


def statement_limit_s() -> int:
    """Return the limit: longer than any transaction may be idle with a lock that a statement waits for."""
    return max(SHORTEST_S, 2 * settings.MAAS_LEASE_S)


def _limit(connection: BaseDatabaseWrapper, **_: object) -> None:
    if connection.alias == APP:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{statement_limit_s()}s"])
