"""The time by the one clock that all processes share: the database's. Their own clocks may be hours off."""

from datetime import datetime

from django.db import connections

from tenants.core.db.unit_of_work import current_alias


def database_now() -> datetime:
    """Return the time of this statement. It is later than that of an earlier statement in the same transaction."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        (now,) = cursor.fetchone()
    return now  # type: ignore[no-any-return]
