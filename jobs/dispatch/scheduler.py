"""The scheduler: one leader wakes workers for what waits and sweeps up after those that died."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from django.db import close_old_connections, connections

from inference.brokers import BrokerUnavailable
from inference.registry.selectors import served_versions
from jobs.batches.upkeep import count_batches, erase_expired_files, keep_up_batches
from jobs.dispatch.aside import Aside
from jobs.dispatch.broker import messages_set_aside
from jobs.dispatch.metrics import DEAD_LETTERS, LEADING, QUEUED_PAGES, SWEPT
from jobs.dispatch.release import release_after_commit, waiting_versions
from jobs.dispatch.sweeper import sweep_expired_leases
from jobs.documents.erasure import erase_due_files
from jobs.idempotency.expiry import erase_forgotten_keys
from jobs.search.backfill import index_ordered_jobs
from tenants.context import OPERATOR
from tenants.metering.roll_up import RECOUNT_EVERY_S, ROLL_UP_EVERY_S, recount_set_aside, roll_up_uses

log = structlog.get_logger(__name__)
LOCK_ID = 0x6D616173
RELEASE_EVERY_S = 0.2
SWEEP_EVERY_S = 1.0
COUNT_EVERY_S = 5.0
ERASE_EVERY_S = 5.0
FORGET_EVERY_S = 60.0
INDEX_EVERY_S = 2.0
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
            _Duty(SWEEP_EVERY_S, Aside(keep_up_batches)),
            _Duty(COUNT_EVERY_S, count_queued),
            _Duty(COUNT_EVERY_S, count_batches),
            _Duty(COUNT_EVERY_S, Aside(count_dead_letters)),
            _Duty(ERASE_EVERY_S, Aside(erase_due_files)),
            _Duty(FORGET_EVERY_S, Aside(erase_forgotten_keys)),
            _Duty(FORGET_EVERY_S, Aside(erase_expired_files)),
            _Duty(INDEX_EVERY_S, Aside(index_ordered_jobs)),
            _Duty(ROLL_UP_EVERY_S, Aside(roll_up_uses)),
            _Duty(RECOUNT_EVERY_S, Aside(recount_set_aside)),
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


def count_dead_letters() -> None:
    for version in served_versions():
        try:
            DEAD_LETTERS.labels(model=version.key).set(messages_set_aside(version.queue_name))
        except BrokerUnavailable as error:
            log.warning("broker_unavailable", queue=version.queue_name, error=str(error))
            return


def count_queued() -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_COUNT)
        for key, queued in cursor.fetchall():
            QUEUED_PAGES.labels(model=key).set(queued)
