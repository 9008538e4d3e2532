import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from django.db import InterfaceError, OperationalError, connections, transaction

from jobs.core import states
from jobs.idempotency.expiry import REMEMBERED
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.services import JobRequest
from maas.scheduler import scheduler as scheduling
from maas.scheduler.scheduler import LOCK_ID, Scheduler
from tenants.billing.metering.events import MeterEvent, write_event
from tenants.billing.metering.keys import FIELD, STREAM
from tenants.billing.metering.roll_up import durable_redis
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tenants.core.ids import uuid7
from tenants.plans.prices import Price
from tests.jobs.conftest import Desk
from tests.jobs.idempotency.conftest import age_keys, keys_of
from tests.waiting import eventually


class Running:
    def __init__(self) -> None:
        self.stopping = threading.Event()
        self.scheduler = Scheduler(self.stopping)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.scheduler.run()
        connections.close_all()

    def stop(self) -> None:
        self.stopping.set()
        self._thread.join(10)

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop the scheduler, so that a failed test leaves no leader to the next one."""
        self.stop()


@pytest.fixture
def running() -> Iterator[Running]:
    with Running() as one:
        yield one


def leaders() -> list[int]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
            [LOCK_ID],
        )
        return [row[0] for row in cursor.fetchall()]


def test_an_expired_lease_is_taken_back_without_anybody_asking(desk: Desk, running: Running) -> None:
    job = desk.submit()
    page = desk.pages(job)[0]
    desk.claimed(page)
    desk.expire_lease(page)
    eventually(lambda: desk.pages(job)[0].state == states.QUEUED, "what the scheduler does by itself")


def test_a_lost_wake_is_sent_again_without_anybody_asking(desk: Desk, running: Running) -> None:
    job = desk.submit()
    desk.sql("UPDATE jobs_page SET renotify_at = clock_timestamp() WHERE id = %s", desk.pages(job)[0].id)
    before = desk.pages(job)[0].renotify_at
    eventually(lambda: desk.pages(job)[0].renotify_at not in (None, before), "what the scheduler does by itself")


def test_keys_of_submissions_are_forgotten_without_anybody_asking(desk: Desk) -> None:
    request = JobRequest(model=desk.version.served_model.name, input={"text": "hello"})
    submit_once(identity=desk.identity, request=request, key="yesterday's")
    age_keys(desk.identity, REMEMBERED)
    with Running():
        eventually(lambda: keys_of(desk.identity) == 0, "what the scheduler does by itself")


def test_uses_in_the_stream_are_counted_without_anybody_asking(desk: Desk, running: Running) -> None:
    tenant_id = desk.identity.tenant_id
    price = Price("call", 1500, 1, "EUR")
    event = MeterEvent(uuid7(), tenant_id, "call", "embed", 1, 2, price, livemode=True, at_ms=0)
    durable_redis().xadd(STREAM, {FIELD: write_event(event)})

    def amounts() -> list[int]:
        with unit_of_work(tenant_id):
            return list(UsageRecord.objects.values_list("amount_micros", flat=True))

    eventually(lambda: amounts() == [3000], "what the scheduler does by itself")


def test_of_two_schedulers_one_leads_and_the_other_takes_over(desk: Desk, running: Running) -> None:
    eventually(lambda: len(leaders()) == 1, "what the scheduler does by itself")
    with Running():
        first_leader = leaders()
        assert len(first_leader) == 1
        running.stop()
        eventually(lambda: len(leaders()) == 1 and leaders() != first_leader, "what the scheduler does by itself")


def test_a_leader_whose_connection_dies_leads_again(desk: Desk, running: Running) -> None:
    eventually(lambda: len(leaders()) == 1, "what the scheduler does by itself")
    first = leaders()
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", first)
    eventually(lambda: leaders() not in ([], first), "what the scheduler does by itself")


def test_a_duty_that_loses_its_connection_does_not_cost_the_lock(monkeypatch: pytest.MonkeyPatch, desk: Desk) -> None:
    """Django reconnects by itself. If the lost connection had held the lock, its loss would go unnoticed."""
    done = threading.Event()

    def lose_connection() -> None:
        with (
            suppress(OperationalError, InterfaceError),
            transaction.atomic(using=OPERATOR),
            connections[OPERATOR].cursor() as cursor,
            connections["owner"].cursor() as owner,
        ):
            cursor.execute("SELECT pg_backend_pid()")
            owner.execute("SELECT pg_terminate_backend(%s)", cursor.fetchone())
            cursor.execute("SELECT 1")
        done.set()

    monkeypatch.setattr(scheduling, "ANY_EXPIRED", "true")
    monkeypatch.setattr(scheduling, "sweep", lose_connection)
    with Running() as running:
        assert done.wait(20)
        done.clear()
        assert done.wait(20)
        assert len(leaders()) == 1
        assert running.scheduler.leading


FROZEN = """
import threading
import django

django.setup()
from django.db import connections, transaction
from maas.scheduler import scheduler
from tenants.core.db.unit_of_work import OPERATOR

def stand_still():
    with transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT 1")
        print("in a transaction", flush=True)
        threading.Event().wait()

scheduler.ANY_EXPIRED = "true"
scheduler.sweep = stand_still
scheduler.Scheduler(threading.Event()).run()
"""


def test_a_leader_that_is_frozen_inside_a_transaction_is_followed_by_another() -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "maas.settings"}
    with subprocess.Popen([sys.executable, "-c", FROZEN], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        try:
            assert select.select([process.stdout], [], [], 30)[0]
            frozen = leaders()
            assert len(frozen) == 1
            process.send_signal(signal.SIGSTOP)
            with Running():
                # The time is far less than a lease, which is as long as a transaction may stand still.
                eventually(lambda: leaders() not in ([], frozen), "another leader", timeout_s=10)
        finally:
            process.kill()


def test_a_broker_that_hangs_does_not_keep_leases_from_being_swept(
    desk: Desk, make_desk: Callable[..., Desk], hanging_broker: None
) -> None:
    """The sweep does not depend on how many versions wait for the broker."""
    for one in (desk, make_desk(), make_desk(), make_desk()):
        one.submit()
    job = desk.submit()
    page = desk.pages(job)[0]
    desk.claimed(page)
    desk.expire_lease(page)
    with Running():
        eventually(lambda: desk.pages(job)[0].state == states.QUEUED, "the sweep")
        assert len(leaders()) == 1


def test_a_scheduler_that_stands_by_is_alive_and_one_without_a_database_is_not(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not Scheduler(threading.Event()).alive
    eventually(lambda: running.scheduler.leading, "the first")
    with Running() as second:
        eventually(lambda: second.scheduler.alive, "the second")
        assert not second.scheduler.leading
    monkeypatch.setattr(scheduling, "FRESH_S", 0.0)
    assert not second.scheduler.alive


def test_a_scheduler_whose_sweep_hangs_is_not_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        go_on.wait(20)

    monkeypatch.setattr(scheduling, "ANY_EXPIRED", "true")
    monkeypatch.setattr(scheduling, "sweep", hang)
    monkeypatch.setattr(scheduling, "HANGS_S", 0.0)
    with Running() as running:
        assert begun.wait(20)
        assert not running.scheduler.alive
        go_on.set()
