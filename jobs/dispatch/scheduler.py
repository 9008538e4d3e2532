"""The scheduler: one leader wakes workers for what waits and sweeps up after those that died."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from django.db import close_old_connections, connections

from jobs.dispatch.aside import Aside
from jobs.dispatch.metrics import LEADING, QUEUED_PAGES, SWEPT
from jobs.dispatch.release import release_after_commit, waiting_versions
from jobs.dispatch.sweeper import sweep_expired_leases
from jobs.documents.erasure import erase_due_files
from tenants.context import OPERATOR

log = structlog.get_logger(__name__)
LOCK_ID = 0x6D616173
RELEASE_EVERY_S = 0.2
SWEEP_EVERY_S = 1.0
COUNT_EVERY_S = 5.0
ERASE_EVERY_S = 5.0
SILENCE_S = 10
"""Longer than the one wait that may lie between two statements: a broker that does not answer for four seconds."""

_COUNT = """
SELECT m.name || '@' || v.number,
       (SELECT count(*) FROM jobs_page p WHERE p.model_version_id = v.id AND p.state = 'queued')
FROM inference_modelversion v JOIN inference_servedmodel m ON m.id = v.served_model_id WHERE v.state = 'ready'
"""


@dataclass
class _Duty:
    every_s: float
    do: Callable[[], object]
    due: float = 0.0


class Scheduler:
    """Any number may run; a session lock in Postgres lets one lead, and is gone the moment its holder dies."""

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self._duties = [
            _Duty(RELEASE_EVERY_S, release_waiting),
            _Duty(SWEEP_EVERY_S, sweep),
            _Duty(COUNT_EVERY_S, count_queued),
            _Duty(ERASE_EVERY_S, Aside(erase_due_files)),
        ]
        self.alive = False

    def run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._lead()
            except Exception:
                log.exception("scheduler_round_failed")
            finally:
                LEADING.set(0)
                # The lock belongs to the connection: never carry a half-dead one into the next round.
                connections[OPERATOR].close()
            self._stopping.wait(1.0)

    def _lead(self) -> None:
        self.alive = True
        if not self._take_lock():
            return
        log.info("scheduler_leading")
        LEADING.set(1)
        while not self._stopping.wait(RELEASE_EVERY_S):
            with connections[OPERATOR].cursor() as cursor:
                cursor.execute("SELECT 1")  # fails when the lock's connection is gone
            now = time.monotonic()
            for duty in self._duties:
                if now >= duty.due:
                    duty.due = now + duty.every_s
                    duty.do()

    def _take_lock(self) -> bool:
        close_old_connections()
        with connections[OPERATOR].cursor() as cursor:
            # A leader that is frozen loses its connection, and with it the lock: another takes over.
            cursor.execute("SELECT set_config('idle_session_timeout', %s, false)", [f"{SILENCE_S}s"])
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_ID])
            return bool(cursor.fetchone()[0])


def release_waiting() -> None:
    for version_id, key in waiting_versions():
        release_after_commit(version_id, key)


def sweep() -> None:
    taken = sweep_expired_leases()
    if taken:
        SWEPT.inc(taken)


def count_queued() -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_COUNT)
        for key, queued in cursor.fetchall():
            QUEUED_PAGES.labels(model=key).set(queued)
