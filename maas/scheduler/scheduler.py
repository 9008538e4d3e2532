"""The scheduler: one leader wakes workers for what waits and sweeps up after those that died."""

import threading
import time
from contextlib import closing

import psycopg
import structlog
from django.conf import settings
from django.db import connections

from inference.brokers import BrokerUnavailable
from inference.registry.selectors import served_versions
from jobs.archives.upkeep import keep_up_archives
from jobs.batches.upkeep import count_batches, erase_expired_files, forget_batches_of_tests, keep_up_batches
from jobs.charges.reconciling import reconcile
from jobs.deletion.erasing import erase_closed_tenants
from jobs.documents.erasure import erase_due_files
from jobs.events.broker import messages_set_aside, patiently
from jobs.events.horizon import tell_horizon
from jobs.idempotency.expiry import erase_forgotten_keys
from jobs.queue.demand import pages_demand
from jobs.queue.metrics import DEAD_LETTERS, LEADING, QUEUE_AGE, QUEUED_PAGES, SWEPT
from jobs.queue.outage import Outage
from jobs.queue.release import release_after_commit, waiting_versions
from jobs.queue.sweeper import sweep_expired_leases
from jobs.queue.used_up import end_used_up_pages
from jobs.retention.batches import forget_words_of_batches
from jobs.retention.events import erase_old_events
from jobs.retention.forgetting import forget_erased
from jobs.retention.sweep import erase_overdue
from jobs.search.backfill import index_ordered_jobs
from jobs.submission.overdue import end_overdue_jobs
from jobs.uploads.upkeep import expire_uploads, finish_stranded_uploads, forget_uploads
from jobs.webhooks.notices import mail_of_disabled_endpoints
from jobs.webhooks.upkeep import end_stranded_deliveries, erase_old_webhooks
from maas.scheduler.aside import Aside
from maas.scheduler.duties import Duties
from maas.scheduler.leadership import Leadership, LeadershipLost
from tenants.billing.invoices.run import BILL_EVERY_S, Biller
from tenants.billing.invoices.telling import tell_of_invoices
from tenants.billing.ledger.alerts import alert_of_budgets
from tenants.billing.metering.roll_up import RECOUNT_EVERY_S, ROLL_UP_EVERY_S, recount_set_aside, roll_up_uses
from tenants.billing.payments.charging import collect_invoices
from tenants.billing.payments.telling import tell_of_refused_cards
from tenants.billing.payments.upkeep import look_after_payments
from tenants.billing.usage.settling import SETTLE_EVERY_S, settle_days
from tenants.core.db.failures import PASSING, is_operators
from tenants.core.db.unit_of_work import OPERATOR
from tenants.deletion.services import remind_owners
from tenants.limits.storage.counting import fold_stored_bytes
from tenants.onboarding.unconfirmed import forget_unconfirmed

log = structlog.get_logger(__name__)
RELEASE_EVERY_S = 0.2
SWEEP_EVERY_S = 0.5
"""Whoever waits for the page of a worker that died waits for the next sweep after its lease."""
OVERDUE_EVERY_S = 1.0
COUNT_EVERY_S = 5.0
ERASE_EVERY_S = 5.0
FORGET_EVERY_S = 60.0
INDEX_EVERY_S = 2.0
RECONCILE_EVERY_S = 24 * 3600.0
STAND_BY_S = 0.5
FRESH_S = 10.0
OUTAGE_MARGIN_S = 2.0
HANGS_S = 120.0
"""Longer than the sweep of very many pages takes."""

_COUNT = """
SELECT m.name || '@' || v.number,
       (SELECT count(*) FROM jobs_page p WHERE p.model_version_id = v.id AND p.state = 'queued')
FROM inference_modelversion v JOIN inference_servedmodel m ON m.id = v.served_model_id WHERE v.state = 'ready'
"""


class Scheduler:
    """Any number may run; a session lock in Postgres lets one lead, and is gone the moment its holder dies.

    The thread that leads does nothing but prove the lock and begin duties. Each runs in a thread of its own, so one
    that hangs (the broker does not answer) neither costs the lock nor holds up the others.
    """

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self._outage = Outage(grace_s=settings.MAAS_LEASE_S / 3 + OUTAGE_MARGIN_S)
        self._sweep = Aside(self._sweep_after_outages)
        duties = (
            (SWEEP_EVERY_S, self._sweep),
            (RELEASE_EVERY_S, Aside(release_waiting)),
            (OVERDUE_EVERY_S, Aside(end_overdue_jobs)),
            (OVERDUE_EVERY_S, Aside(keep_up_batches)),
            (COUNT_EVERY_S, Aside(count_queued)),
            (COUNT_EVERY_S, Aside(tell_horizon)),
            (COUNT_EVERY_S, Aside(count_batches)),
            (COUNT_EVERY_S, Aside(count_dead_letters)),
            (ERASE_EVERY_S, Aside(erase_due_files)),
            (FORGET_EVERY_S, Aside(end_used_up_pages)),
            (FORGET_EVERY_S, Aside(erase_forgotten_keys)),
            (FORGET_EVERY_S, Aside(erase_expired_files)),
            (FORGET_EVERY_S, Aside(forget_batches_of_tests)),
            (FORGET_EVERY_S, Aside(forget_words_of_batches)),
            (FORGET_EVERY_S, Aside(keep_up_archives)),
            (FORGET_EVERY_S, Aside(erase_overdue)),
            (FORGET_EVERY_S, Aside(erase_old_events)),
            (FORGET_EVERY_S, Aside(forget_erased)),
            (ERASE_EVERY_S, Aside(erase_closed_tenants)),
            (FORGET_EVERY_S, Aside(remind_owners)),
            (FORGET_EVERY_S, Aside(forget_unconfirmed)),
            (FORGET_EVERY_S, Aside(forget_uploads)),
            (ERASE_EVERY_S, Aside(fold_stored_bytes)),
            (ERASE_EVERY_S, Aside(end_stranded_deliveries)),
            (FORGET_EVERY_S, Aside(erase_old_webhooks)),
            (SWEEP_EVERY_S, Aside(finish_stranded_uploads)),
            (FORGET_EVERY_S, Aside(expire_uploads)),
            (FORGET_EVERY_S, Aside(mail_of_disabled_endpoints)),
            (INDEX_EVERY_S, Aside(index_ordered_jobs)),
            (ROLL_UP_EVERY_S, Aside(roll_up_uses)),
            (RECOUNT_EVERY_S, Aside(recount_set_aside)),
            (FORGET_EVERY_S, Aside(alert_of_budgets)),
            (FORGET_EVERY_S, Aside(tell_of_invoices)),
            (FORGET_EVERY_S, Aside(look_after_payments)),
            (FORGET_EVERY_S, Aside(collect_invoices)),
            (FORGET_EVERY_S, Aside(tell_of_refused_cards)),
            (RECONCILE_EVERY_S, Aside(reconcile)),
            (SETTLE_EVERY_S, Aside(settle_days)),
            (BILL_EVERY_S, Aside(Biller().bill_ended_months)),
        )
        self._duties = Duties(duties)
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
                if self._stopping.wait(RELEASE_EVERY_S):
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


def release_waiting() -> None:
    """A broker that hangs costs one wait in a round: after it, the other versions are not asked for."""
    with patiently():
        for version_id, key in waiting_versions():
            release_after_commit(version_id, key)


def sweep() -> None:
    taken = sweep_expired_leases()
    if taken:
        SWEPT.inc(taken)


def count_dead_letters() -> None:
    with patiently():
        for version in served_versions():
            try:
                DEAD_LETTERS.labels(model=version.key).set(messages_set_aside(version.queue_name))
            except BrokerUnavailable as error:
                log.warning("broker_unavailable", queue=version.queue_name, error=str(error))
                return


def count_queued() -> None:
    demand = pages_demand()
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_COUNT)
        for key, queued in cursor.fetchall():
            QUEUED_PAGES.labels(model=key).set(queued)
            QUEUE_AGE.labels(model=key).set(demand[key].oldest_s if key in demand else 0.0)
