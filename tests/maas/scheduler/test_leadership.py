"""Tests of the lock of the leader."""

import threading
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from django.db import connections

from maas.scheduler import scheduler as leading
from maas.scheduler.scheduler import LOCK_ID, Leadership, LeadershipLost


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


def test_one_that_says_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leading, "SILENCE_S", 1)
    with closing(Leadership()) as frozen, closing(Leadership()) as other:
        assert frozen.take()
        pause = threading.Event()
        while not other.take():
            pause.wait(0.1)
        with pytest.raises(psycopg.OperationalError):
            frozen.prove()
