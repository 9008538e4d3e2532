"""Time limits for the database reads of the thread that chooses models.

The thread can do without an answer, but it must never wait forever.
"""

from django.db import connections

from tenants.core.db.unit_of_work import APP, OPERATOR

READ_S = 10.0


def bound_reads() -> None:
    """Limit the duration of this thread's statements and lock waits, before every read."""
    for alias in (APP, OPERATOR):
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{READ_S * 1000:.0f}ms"])
