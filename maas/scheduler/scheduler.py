"""The scheduler: one leader notifies workers of queued work, and takes back the work of processes that died."""

import threading
import time
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import Any

import psycopg
import structlog
from django.conf import settings
from django.db import connections

from jobs.queue.metrics import LEADING
from jobs.queue.outage import Outage
from jobs.queue.sweeper import ANY_EXPIRED
from jobs.queue.upkeep import sweep
from maas.scheduler.duties import DUTIES
from maas.scheduler.timing import Aside, Duties
from tenants.core.db.failures import PASSING, is_operators
from tenants.core.db.unit_of_work import OPERATOR
from tenants.core.duties import Duty
from tenants.core.growing_threads import GrowingThreads

LOCK_ID = 0x6D616173
LOCK_TIMEOUT_MS = 300
SILENCE_S = 3
"""Seconds of silence after which a leader counts as frozen or cut off. PostgreSQL then ends its session and lock."""

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


_LOST = "the session that answers does not hold the scheduler's lock"


class LeadershipLost(Exception):
    """The session that responds is no longer the session that held the lock."""


class Leadership:
    """A database session that holds the leader's lock. It is not one of Django's connections, because those reconnect
    automatically and would lose the lock unnoticed.

    No transaction stays open between two statements. So if the process freezes, its session is idle and PostgreSQL
    ends it.
    """

    def __init__(self) -> None:
        parameters = connections[OPERATOR].get_connection_params()
        self._session: psycopg.Connection[Any] = psycopg.connect(**{**parameters, **_NOTICES_SILENCE}, autocommit=True)
        self._execute("SELECT set_config('idle_session_timeout', %s, false)", f"{SILENCE_S}s")
        self._execute("SELECT set_config('lock_timeout', %s, false)", f"{LOCK_TIMEOUT_MS}ms")

    def take(self) -> bool:
        """Try to take the lock and return whether this session holds it. Standby schedulers call this repeatedly."""
        return bool(self._execute("SELECT pg_try_advisory_lock(%s)", LOCK_ID))

    def prove(self) -> None:
        """Check that this session still holds the lock. Raises LeadershipLost."""
        if not self._execute(_HELD, LOCK_ID):
            raise LeadershipLost(_LOST)

    def look(self, conditions: Sequence[str]) -> list[bool]:
        """Check that this session still holds the lock, as `prove` does, and say which of the conditions hold.

        If a table is locked for long, or is not there yet, every condition counts as true: each duty then waits for
        itself.
        """
        statement = f"SELECT ({_HELD}), {', '.join(f'({condition})' for condition in conditions)}"
        try:
            row = psycopg.Cursor(self._session).execute(statement.encode(), [LOCK_ID]).fetchone()
        except (psycopg.errors.LockNotAvailable, psycopg.ProgrammingError):
            self.prove()
            return [True] * len(conditions)
        if not row or not row[0]:
            raise LeadershipLost(_LOST)
        return list(row[1:])

    def close(self) -> None:
        self._session.close()

    def _execute(self, statement: str, value: object) -> Any:
        row = psycopg.Cursor(self._session).execute(statement.encode(), [value]).fetchone()
        return row[0] if row else None


log = structlog.get_logger(__name__)
PROVE_EVERY_S = 0.4
SWEEP_EVERY_S = 0.5
"""Seconds between two sweeps. A page of a worker that died waits for the next sweep after its lease has expired."""
STAND_BY_S = 0.5
IDLE_S = 3.0
"""Seconds for which a thread without a duty keeps its database connections."""
FRESH_S = 10.0
OUTAGE_MARGIN_S = 2.0
HANGS_S = 120.0
"""Seconds after which a sweep counts as hanging. A sweep of very many pages takes less."""


class Scheduler:
    """A scheduler, of which any number may run. A session lock in PostgreSQL lets one lead, and is released the moment
    its holder dies.

    The leading thread only proves the lock and starts duties. Each duty runs in another thread. If one hangs, for
    example because the broker does not respond, the lock is not lost and the other duties are not delayed.
    """

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self._outage = Outage(grace_s=settings.MAAS_LEASE_S / 3 + OUTAGE_MARGIN_S)
        threads = GrowingThreads("duty", idle_s=IDLE_S)
        self._sweep = Aside(self._sweep_after_outages, threads)
        duties = [(Duty(SWEEP_EVERY_S, self._sweep, ANY_EXPIRED), self._sweep)]
        duties += [(duty, Aside(duty.do, threads)) for duty in DUTIES]
        self._duties = Duties((duty.every_s, partial(self._begin, duty, aside)) for duty, aside in duties)
        self._conditions = sorted({duty.waiting for duty, _ in duties})
        self._waiting: dict[str, bool] = {}
        """The conditions, and whether each held a moment ago."""
        self.leading = False
        self._answered_s = float("-inf")

    @property
    def alive(self) -> bool:
        """Return whether it leads or could lead at once: the database has just responded, and no sweep hangs."""
        return time.monotonic() - self._answered_s < FRESH_S and self._sweep.runs_for_s < HANGS_S

    def run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._term()
            except psycopg.OperationalError as error:
                log.warning("scheduler_database_unavailable", error=str(error).strip())
            except LeadershipLost as error:
                log.warning("scheduler_lock_lost", error=str(error))
            except Exception:
                log.exception("scheduler_round_failed")
            self._stopping.wait(STAND_BY_S)

    def _term(self) -> None:
        """Try to become the leader, and lead until the session ends, for whatever reason."""
        with closing(Leadership()) as leadership:
            while not leadership.take():
                self._answered()
                if self._stopping.wait(STAND_BY_S):
                    return
            log.info("scheduler_leading")
            self._lead(leadership)

    def _lead(self, leadership: Leadership) -> None:
        try:
            while True:
                self._waiting = dict(zip(self._conditions, leadership.look(self._conditions), strict=True))
                self._answered()
                self._tell(leading=True)
                self._duties.begin_due(time.monotonic())
                if self._stopping.wait(PROVE_EVERY_S):
                    return
        finally:
            self._tell(leading=False)

    def _begin(self, duty: Duty, aside: Aside) -> None:
        if self._waiting[duty.waiting]:
            aside()

    def _answered(self) -> None:
        self._answered_s = time.monotonic()
        self._outage.answered(self._answered_s)

    def _sweep_after_outages(self) -> None:
        if not self._outage.is_over(time.monotonic()):
            return
        try:
            sweep()
        except PASSING as error:
            if not is_operators(error):
                raise
            self._outage.failed(time.monotonic())
            log.warning("sweep_postponed", error=str(error).strip())
            connections.close_all()

    def _tell(self, *, leading: bool) -> None:
        self.leading = leading
        LEADING.set(int(leading))
