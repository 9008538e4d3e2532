"""Bounds what the thread that chooses models waits for the database: it may go without an answer, never without end."""

from django.db import connections

from tenants.core.db.unit_of_work import APP, OPERATOR

READ_S = 10.0


def bound_reads() -> None:
    """Of this thread, waits for locks included. Said again and again, since a connection may be a new one."""
    for alias in (APP, OPERATOR):
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{READ_S * 1000:.0f}ms"])
