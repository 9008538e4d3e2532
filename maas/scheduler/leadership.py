"""The lock that lets one scheduler lead. It is held on a connection that is used for nothing else."""

from typing import Any

import psycopg
from django.db import connections

from tenants.core.db.unit_of_work import OPERATOR

LOCK_ID = 0x6D616173
SILENCE_S = 3
"""Seconds of silence after which a leader counts as frozen or cut off. PostgreSQL then ends its session, and with it
the lock.
"""

_NOTICES_SILENCE = {
    "connect_timeout": "3",
    "keepalives_idle": "1",
    "keepalives_interval": "1",
    "keepalives_count": "2",
    "tcp_user_timeout": str(1000 * SILENCE_S),
}
"""Connection options that make a leader that is cut off notice this about as soon as the other schedulers do."""

# The query asks the server rather than only this connection, because a pooler may have put another session behind it.
_HELD = """
SELECT EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid() AND classid = 0 AND objid = %s AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
"""


class LeadershipLost(Exception):
    """The session that responds is no longer the session that held the lock."""


class Leadership:
    """A session outside of Django's connections. Those reconnect by themselves, but a lock does not survive that.

    No transaction is open between two statements. However the process is frozen, this session is then idle and is
    ended.
    """

    def __init__(self) -> None:
        parameters = connections[OPERATOR].get_connection_params()
        self._session: psycopg.Connection[Any] = psycopg.connect(
            **{**parameters, **_NOTICES_SILENCE}, autocommit=True
        )
        self._execute("SELECT set_config('idle_session_timeout', %s, false)", f"{SILENCE_S}s")

    def take(self) -> bool:
        """Try to take the lock and return whether this session holds it. Standby schedulers call this repeatedly."""
        return bool(self._execute("SELECT pg_try_advisory_lock(%s)", LOCK_ID))

    def prove(self) -> None:
        """Raise LeadershipLost unless this same session still holds the lock."""
        if not self._execute(_HELD, LOCK_ID):
            raise LeadershipLost("the session that answers does not hold the scheduler's lock")

    def close(self) -> None:
        self._session.close()

    def _execute(self, statement: str, value: object) -> Any:
        row = psycopg.Cursor(self._session).execute(statement.encode(), [value]).fetchone()
        return row[0] if row else None
