"""Tests of concurrent requests under one key, and of a hold that is lost."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import pytest
from django.db import connections

from jobs.core.errors import IdempotentResultGone, RequestInProgress
from jobs.core.models import Document
from jobs.documents.selectors import get_document
from jobs.idempotency.idempotent_requests import Answered, Keep, count_once, make_in_steps, make_once
from jobs.idempotency.keys import Sent
from jobs.idempotency.models import IdempotencyKey
from jobs.retention.documents import delete_document
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.errors import InvalidRequest
from tests.jobs.conftest import Desk

from .conftest import keys_of

M = TypeVar("M", bound=Document | int)
Way = Callable[[Sent, Callable[[], Document]], Answered[Document]]


def in_one_transaction(sent: Sent, make: Callable[[], Document]) -> Answered[Document]:
    return make_once(sent, make=lambda: Answered(make(), 201), look=get_document)


def in_steps(sent: Sent, make: Callable[[], Document]) -> Answered[Document]:
    def keep_at_the_end(keep: Keep[Document]) -> Answered[Document]:
        first = Answered(make(), 201)
        with unit_of_work(sent.tenant_id):
            keep(first)
        return first

    return make_in_steps(sent, make=keep_at_the_end, look=get_document)


WAYS = pytest.mark.parametrize("way", [in_one_transaction, in_steps])


@pytest.fixture
def sent(desk: Desk) -> Sent:
    return Sent(desk.identity.tenant_id, "upload_document", "order-1", "f" * 64)


@contextmanager
def at_work(way: Way, sent: Sent, make: Callable[[], Document]) -> Iterator[Future[Answered[Document]]]:
    """Run a request in a thread of its own, and stop in the middle of it until the block ends."""
    begun, go_on = threading.Event(), threading.Event()

    def make_slowly() -> Document:
        begun.set()
        assert go_on.wait(30)
        return make()

    def work() -> Answered[Document]:
        try:
            return way(sent, make_slowly)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(work)
        assert begun.wait(30)
        try:
            yield future
        finally:
            go_on.set()


def test_a_count_that_is_still_being_made_is_not_made_by_another(sent: Sent) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def count_slowly() -> Answered[int]:
        begun.set()
        assert go_on.wait(30)
        return Answered(7, 202)

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(lambda: closing(lambda: count_once(sent, make=count_slowly)))
        assert begun.wait(30)
        try:
            with pytest.raises(RequestInProgress):
                count_once(sent, make=lambda: Answered(8, 202))
        finally:
            go_on.set()
        assert first.result() == Answered(7, 202)
    assert count_once(sent, make=lambda: Answered(8, 202)) == Answered(7, 202, replayed=True)


def unwanted() -> Document:
    raise AssertionError("it is not to be made again")


@WAYS
@pytest.mark.parametrize("other_way", [in_one_transaction, in_steps])
def test_who_comes_while_the_first_is_at_work_is_told_at_once_and_gets_its_answer_later(
    desk: Desk, sent: Sent, way: Way, other_way: Way
) -> None:
    with at_work(way, sent, lambda: desk.document(1)) as first:
        with pytest.raises(RequestInProgress, match="'order-1' is in progress") as told:
            other_way(sent, unwanted)
        assert told.value.extra == {"retry_after_s": 1}
    made = first.result()
    again = other_way(sent, unwanted)
    assert (again.made.id, again.status, again.replayed) == (made.made.id, 201, True)


@WAYS
def test_who_asks_for_an_answer_that_is_there_is_not_kept_by_another_who_does(desk: Desk, sent: Sent, way: Way) -> None:
    made = way(sent, lambda: desk.document(1)).made
    with unit_of_work(sent.tenant_id), connections[APP].cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [sent.lock_id])
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(lambda: closing(lambda: way(sent, unwanted))).result().made.id == made.id


def closing(ask: Callable[[], Answered[M]]) -> Answered[M]:
    try:
        return ask()
    finally:
        connections.close_all()


@WAYS
def test_a_request_that_is_refused_leaves_its_key_free_at_once(desk: Desk, sent: Sent, way: Way) -> None:
    def refuse() -> Document:
        raise InvalidRequest("no")

    with pytest.raises(InvalidRequest):
        way(sent, refuse)
    assert keys_of(desk.identity) == 0
    with ThreadPoolExecutor(1) as threads:
        elsewhere = threads.submit(lambda: closing(lambda: way(sent, lambda: desk.document(1))))
        assert not elsewhere.result().replayed


def test_a_turn_that_was_lost_with_its_connection_is_not_taken_for_ones_own(desk: Desk, sent: Sent) -> None:
    """Two requests would otherwise be at work, and both would keep what they made."""
    made = []

    def lose_the_turn() -> Document:
        connections[APP].close()
        with at_work(in_steps, sent, lambda: desk.document(1)) as theirs, pytest.raises(RequestInProgress):
            in_one_transaction(sent, unwanted)
        made.append(theirs.result())
        return desk.document(1)

    with pytest.raises(RequestInProgress):
        in_steps(sent, lose_the_turn)
    assert in_steps(sent, unwanted).made.id == made[0].made.id
    assert keys_of(desk.identity) == 1


def test_who_dies_at_work_leaves_the_key_free(desk: Desk, sent: Sent) -> None:
    def die() -> Document:
        with connections[APP].cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            session = cursor.fetchone()[0]
        with connections["owner"].cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [session])
        raise InvalidRequest("whatever the dead say")

    with pytest.raises(InvalidRequest):
        in_steps(sent, die)
    assert not in_steps(sent, lambda: desk.document(1)).replayed


@WAYS
def test_what_was_made_and_deleted_since_is_said_to_be_gone(desk: Desk, sent: Sent, way: Way) -> None:
    made = way(sent, lambda: desk.document(1)).made
    delete_document(identity=desk.identity, document_id=made.id)
    with pytest.raises(IdempotentResultGone, match="Use a new key"):
        way(sent, unwanted)


def test_what_is_kept_does_not_tell_whether_a_file_was_here(desk: Desk, sent: Sent) -> None:
    """Anybody who has the bytes can compute the fingerprint of a request with them, but not the value in the
    database.
    """
    in_one_transaction(sent, lambda: desk.document(1))
    with unit_of_work(desk.identity.tenant_id):
        kept = IdempotencyKey.objects.get(key=sent.key)
    assert sent.fingerprint not in kept.fingerprint
    assert len(kept.fingerprint) == 64


def test_a_key_that_was_kept_before_there_was_a_secret_is_answered(desk: Desk, sent: Sent) -> None:
    made = in_one_transaction(sent, lambda: desk.document(1)).made
    with unit_of_work(desk.identity.tenant_id):
        IdempotencyKey.objects.filter(key=sent.key).update(fingerprint=sent.fingerprint)
    assert in_one_transaction(sent, lambda: desk.document(1)).made == made
