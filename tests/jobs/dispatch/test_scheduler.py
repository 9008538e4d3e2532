import threading
from collections.abc import Iterator

import psycopg
import pytest
from django.db import connections

from jobs import states
from jobs.dispatch import scheduler as scheduling
from jobs.dispatch.scheduler import LOCK_ID, Scheduler
from jobs.idempotency.expiry import REMEMBERED
from jobs.idempotency.submissions import submit_once
from jobs.services import JobRequest
from tenants.billing.prices import Price
from tenants.context import OPERATOR, unit_of_work
from tenants.ids import uuid7
from tenants.metering.backlog import durable_redis
from tenants.metering.events import MeterEvent, write_event
from tenants.metering.keys import FIELD, STREAM
from tenants.models import UsageRecord
from tests.jobs.conftest import Desk
from tests.jobs.idempotency.conftest import age_keys, keys_of


class Running:
    """A scheduler in a thread of its own."""

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        Scheduler(self.stopping).run()
        connections.close_all()

    def stop(self) -> None:
        self.stopping.set()
        self._thread.join(10)


@pytest.fixture
def running() -> Iterator[Running]:
    one = Running()
    yield one
    one.stop()


def eventually(desk: Desk, condition: object, patience_s: float = 20) -> bool:
    pause = threading.Event()
    for _ in range(int(patience_s / 0.05)):
        if condition():  # type: ignore[operator]
            return True
        pause.wait(0.05)
    return False


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
    assert eventually(desk, lambda: desk.pages(job)[0].state == states.QUEUED)


def test_a_lost_wake_is_sent_again_without_anybody_asking(desk: Desk, running: Running) -> None:
    job = desk.submit()
    desk.sql("UPDATE jobs_page SET wake_again_at = clock_timestamp() WHERE id = %s", desk.pages(job)[0].id)
    before = desk.pages(job)[0].wake_again_at
    assert eventually(desk, lambda: desk.pages(job)[0].wake_again_at not in (None, before))


def test_keys_of_submissions_are_forgotten_without_anybody_asking(desk: Desk) -> None:
    request = JobRequest(model=desk.version.served_model.name, input={"text": "hello"})
    submit_once(identity=desk.identity, request=request, key="yesterday's")
    age_keys(desk.identity, REMEMBERED)
    running = Running()
    assert eventually(desk, lambda: keys_of(desk.identity) == 0)
    running.stop()


def test_uses_in_the_stream_are_counted_without_anybody_asking(desk: Desk, running: Running) -> None:
    tenant_id = desk.identity.tenant_id
    price = Price("call", 1500, 1, "EUR")
    event = MeterEvent(uuid7(), tenant_id, "call", "embed", 1, 2, price, livemode=True, at_ms=0)
    durable_redis().xadd(STREAM, {FIELD: write_event(event)})

    def amounts() -> list[int]:
        with unit_of_work(tenant_id):
            return list(UsageRecord.objects.values_list("amount_micros", flat=True))

    assert eventually(desk, lambda: amounts() == [3000])


def test_of_two_schedulers_one_leads_and_the_other_takes_over(desk: Desk, running: Running) -> None:
    assert eventually(desk, lambda: len(leaders()) == 1)
    second = Running()
    first_leader = leaders()
    assert len(first_leader) == 1
    running.stop()
    assert eventually(desk, lambda: len(leaders()) == 1 and leaders() != first_leader)
    second.stop()


def test_a_leader_whose_connection_dies_leads_again(desk: Desk, running: Running) -> None:
    assert eventually(desk, lambda: len(leaders()) == 1)
    first = leaders()
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", first)
    assert eventually(desk, lambda: leaders() not in ([], first))


def test_a_frozen_leader_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection of a leader that says nothing for too long is ended by the database."""
    monkeypatch.setattr(scheduling, "SILENCE_S", 1)
    frozen = Scheduler(threading.Event())
    assert frozen._take_lock()
    connection = connections[OPERATOR].connection
    frozen_for = threading.Event()
    frozen_for.wait(1.5)
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
    connections[OPERATOR].close()
