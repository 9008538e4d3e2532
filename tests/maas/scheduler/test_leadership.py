"""Tests of the lock of the leader."""

import threading
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from django.db import connections, transaction
from django.db.models.functions import Now

from jobs.models import Job
from jobs.queue.release import ANY_QUEUED
from jobs.queue.sweeper import ANY_EXPIRED
from jobs.search.backfill import ANY_ORDERED
from jobs.submission.cancellations import ANY_OVERDUE
from maas.scheduler import scheduler as leading
from maas.scheduler.duties import DUTIES
from maas.scheduler.scheduler import LOCK_ID, Leadership, LeadershipLost
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tests.jobs.conftest import Desk


@pytest.fixture
def leadership() -> Iterator[Leadership]:
    with closing(Leadership()) as leadership:
        assert leadership.take()
        yield leadership


def test_one_holds_it_and_another_gets_it_when_that_one_is_gone() -> None:
    with closing(Leadership()) as first, closing(Leadership()) as second:
        assert first.take()
        assert not second.take()
        first.prove()
        with pytest.raises(LeadershipLost):
            second.prove()
        first.close()
        while not second.take():
            pass
        second.prove()


def test_a_session_that_was_ended_is_not_replaced_in_silence(leadership: Leadership) -> None:
    pid = leadership._execute("SELECT pg_backend_pid() WHERE %s", True)
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    for _ in range(2):
        with pytest.raises(psycopg.OperationalError):
            leadership.prove()


def test_a_session_without_the_lock_is_told_from_the_one_that_had_it(leadership: Leadership) -> None:
    """The session no longer has the lock, as may happen behind a pooler, which lends out any session that is free."""
    leadership._execute("SELECT pg_advisory_unlock(%s)", LOCK_ID)
    with pytest.raises(LeadershipLost):
        leadership.prove()


def test_conditions_of_duties_are_answered_in_one_statement(leadership: Leadership, desk: Desk) -> None:
    """A queued page, one whose worker is silent, and an overdue job are each noticed by the condition of their duty."""
    first, second = desk.submit(), desk.submit()
    page = desk.pages(second)[0]
    desk.claimed(page)
    desk.expire_lease(page)
    with unit_of_work(first.tenant_id):
        Job.objects.filter(id=first.id).update(expires_at=Now())
    assert leadership.look([ANY_QUEUED, ANY_EXPIRED, ANY_OVERDUE, "false"]) == [True, True, True, False]


@pytest.mark.parametrize("condition", sorted({duty.waiting for duty in DUTIES}))
def test_each_condition_can_be_asked(leadership: Leadership, condition: str) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(f"SELECT ({condition})")
        assert cursor.fetchone()[0] in {True, False}


def test_while_a_table_is_locked_every_duty_looks_for_itself(leadership: Leadership) -> None:
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("LOCK jobs_jobtoindex")
        assert leadership.look(["false", ANY_ORDERED]) == [True, True]
    assert leadership.look(["false"]) == [False]


def test_conditions_are_not_answered_without_the_lock() -> None:
    with closing(Leadership()) as other, pytest.raises(LeadershipLost):
        other.look(["true"])


def test_one_that_says_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leading, "SILENCE_S", 1)
    with closing(Leadership()) as frozen, closing(Leadership()) as other:
        assert frozen.take()
        pause = threading.Event()
        while not other.take():
            pause.wait(0.1)
        with pytest.raises(psycopg.OperationalError):
            frozen.prove()
