"""The scheduler: one leader wakes workers for what waits and sweeps up after those that died."""

import threading
import time
from contextlib import closing

import psycopg
import structlog
from django.conf import settings
from django.db import connections

import jobs.duties
import tenants.duties
from jobs.queue.metrics import LEADING
from jobs.queue.outage import Outage
from jobs.queue.upkeep import sweep
from maas.scheduler.aside import Aside
from maas.scheduler.duties import Duties
from maas.scheduler.leadership import Leadership, LeadershipLost
from tenants.core.db.failures import PASSING, is_operators

log = structlog.get_logger(__name__)
PROVE_EVERY_S = 0.2
SWEEP_EVERY_S = 0.5
"""Whoever waits for the page of a worker that died waits for the next sweep after its lease."""
STAND_BY_S = 0.5
FRESH_S = 10.0
OUTAGE_MARGIN_S = 2.0
HANGS_S = 120.0
"""Longer than the sweep of very many pages takes."""


class Scheduler:
    """Any number may run; a session lock in Postgres lets one lead, and is gone the moment its holder dies.

    The thread that leads does nothing but prove the lock and begin duties. Each runs in a thread of its own, so one
    that hangs (the broker does not answer) neither costs the lock nor holds up the others.
    """

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self._outage = Outage(grace_s=settings.MAAS_LEASE_S / 3 + OUTAGE_MARGIN_S)
        self._sweep = Aside(self._sweep_after_outages)
        registered = (*jobs.duties.DUTIES, *tenants.duties.DUTIES)
        others = ((duty.every_s, Aside(duty.do)) for duty in registered)
        self._duties = Duties(((SWEEP_EVERY_S, self._sweep), *others))
        self.leading = False
        self._answered_s = float("-inf")

    @property
    def alive(self) -> bool:
        """It leads or could at once: the database has just answered, and no sweep hangs."""
        return time.monotonic() - self._answered_s < FRESH_S and self._sweep.runs_for_s < HANGS_S

    def run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._term()
            except psycopg.OperationalError as error:
                log.warning("scheduler_database_away", error=str(error).strip())
            except LeadershipLost as error:
                log.warning("scheduler_lock_lost", error=str(error))
            except Exception:
                log.exception("scheduler_round_failed")
            self._stopping.wait(STAND_BY_S)

    def _term(self) -> None:
        """From the first try to lead until the session ends, whoever ends it."""
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
                leadership.prove()
                self._answered()
                self._tell(leading=True)
                self._duties.begin_due(time.monotonic())
                if self._stopping.wait(PROVE_EVERY_S):
                    return
        finally:
            self._tell(leading=False)

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
            log.warning("sweep_put_off", error=str(error).strip())
            connections.close_all()

    def _tell(self, *, leading: bool) -> None:
        self.leading = leading
        LEADING.set(int(leading))
