"""Ends what a request asks of the database and takes too long, so that no question holds a thread for ever."""

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from tenants.core.db.unit_of_work import APP

SHORTEST_S = 30


def limit_statements() -> None:
    """Of this process, for tenants' data: workers, migrations, backups and the admin take the time that they need."""
    connection_created.connect(_limit, dispatch_uid=__name__)


def statement_limit_s() -> int:
    """Longer than anybody may stand still with a lock, for which a statement may have to wait."""
    return max(SHORTEST_S, 2 * settings.MAAS_LEASE_S)


def _limit(connection: BaseDatabaseWrapper, **_: object) -> None:
    if connection.alias == APP:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{statement_limit_s()}s"])
