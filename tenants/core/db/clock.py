"""What time it is by the one clock that all processes share: the database's. Their own may be hours off."""

from datetime import datetime

from django.db import connections

from tenants.core.db.unit_of_work import current_alias


def database_now() -> datetime:
    """Of this statement, and so later in the same transaction than it was before."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        (now,) = cursor.fetchone()
    return now  # type: ignore[no-any-return]
