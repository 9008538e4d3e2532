"""Tests of identical pages in flight, in every order. One runs, and the others get its result whatever happens."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from jobs.core import states
from jobs.core.errors import LeaseLost
from jobs.core.models import Document, Event, Job, Page
from jobs.events.log import append_event
from jobs.queue.claims import hand_back
from jobs.queue.settlement import Failure, fail_page, finish_page, postpone_page
from jobs.queue.sweeper import sweep_expired_leases
from jobs.results.reuse.running import look, take_known_page, wait_for_it
from jobs.retention.documents import delete_document
from jobs.submission.cancellations import cancel_job
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.conftest import DONE
from tests.jobs.results.reuse.conftest import FLAGGED, Bench

AWAY = Failure("storage_unavailable", "no disk")


def only(bench: Bench, job: Job) -> Page:
    return bench.desk.pages(job)[0]


def due(bench: Bench, job: Job) -> bool:
    """Return whether a worker may claim the page now."""
    with unit_of_work(job.tenant_id), connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT state = 'queued' AND run_after <= clock_timestamp() FROM jobs_page WHERE job_id = %s",
            [job.id],
        )
        return bool(cursor.fetchone()[0])


def test_of_two_identical_pages_one_runs_and_the_other_takes_its_result(bench: Bench) -> None:
    one, other = bench.text(), bench.text()
    claim = bench.desk.claimed(only(bench, one))
    assert bench.look(claim) is not None
    assert bench.run(only(bench, other)) == "waits_for_same_page"
    waiting = only(bench, other)
    assert (waiting.state, waiting.attempt, due(bench, other)) == ("queued", 0, False)
    finish_page(claim, DONE, key=bench.key(claim))
    assert due(bench, other), "it is woken in the transaction of the end that it waits for"
    assert bench.run(only(bench, other)) == "coalesced"
    done = bench.desk.again(other)
    assert (done.state, done.pages_cached, done.pages_coalesced) == (states.SUCCEEDED, 1, 1)
    assert bench.charges(other) == [("cache", 150)]
    (use,) = bench.uses(other)
    assert (use.key_id, use.cached, use.saved_micros) == (bench.desk.identity.key_id, True, 1350)


def test_identical_pages_of_one_document_run_once(bench: Bench) -> None:
    job = bench.read(bench.desk.document(3))
    first, second, third = bench.desk.pages(job)
    claim = bench.desk.claimed(first)
    bench.look(claim, "same")
    assert bench.run(second, "same") == "waits_for_same_page"
    finish_page(claim, DONE, key=bench.key(claim, "same"))
    assert (bench.run(second, "same"), bench.run(third, "same")) == ("coalesced", "hit")
    assert bench.desk.again(job).cost_micros == 1500 + 2 * 150


def test_a_page_that_is_known_by_the_time_it_is_opened_is_a_hit(bench: Bench) -> None:
    job = bench.read(bench.desk.document(2))
    bench.run_all(bench.read(bench.opened("a", "b")), "a", "b")
    assert bench.run_all(job, "b", "new") == ["hit", "run"]
    done = bench.desk.again(job)
    assert (done.state, done.pages_cached, done.pages_coalesced) == (states.SUCCEEDED, 1, 0)


@pytest.mark.parametrize("way", ["failed", "retried", "postponed", "handed_back", "canceled", "swept", "erased"])
def test_whatever_becomes_of_the_first_the_other_runs_itself(bench: Bench, way: str) -> None:
    document = bench.desk.document(1)
    one, other = bench.read(document), bench.text()
    claim = bench.desk.claimed(only(bench, one))
    mine = bench.desk.claimed(only(bench, other))
    key = bench.key(mine)
    assert not look(claim, key).elsewhere
    assert look(mine, key).elsewhere
    wait_for_it(mine, key)
    match way:
        case "failed":
            fail_page(claim, AWAY, may_retry=False)
        case "retried":
            fail_page(claim, AWAY, may_retry=True)
        case "postponed":
            postpone_page(claim, AWAY)
        case "handed_back":
            assert hand_back(claim)
        case "canceled":
            cancel_job(identity=bench.desk.identity, job_id=one.id)
        case "swept":
            bench.desk.expire_lease(only(bench, one))
            sweep_expired_leases()
        case "erased":
            delete_document(identity=bench.desk.identity, document_id=document.id)
    assert due(bench, other)
    assert bench.run(only(bench, other)) == "run"
    assert bench.charges(other) == [("page", 1500)]


@pytest.mark.parametrize("way", ["retried", "postponed", "handed_back", "swept", "waits"])
def test_what_goes_back_to_the_queue_lets_go_of_its_key(bench: Bench, way: str) -> None:
    """A worker of an older version claims the page as it is, and must not run under another page's key."""
    job = bench.text()
    claim = bench.desk.claimed(only(bench, job))
    assert not bench.look(claim).elsewhere
    match way:
        case "retried":
            fail_page(claim, AWAY, may_retry=True)
        case "postponed":
            postpone_page(claim, AWAY)
        case "handed_back":
            assert hand_back(claim)
        case "swept":
            bench.desk.expire_lease(only(bench, job))
            sweep_expired_leases()
        case "waits":
            wait_for_it(claim, bench.key(claim))
    page = only(bench, job)
    assert (page.state, page.cache_key) == ("queued", None)


def test_documents_whose_pages_wait_for_each_other_are_erased_at_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each document's page waits for the other's. Both erasures have canceled a job before either continues."""
    documents = [bench.desk.document(1, f"{name}.pdf") for name in ("a", "b")]
    first = [bench.read(document) for document in documents]
    second = [bench.read(document) for document in documents]
    for job, content in zip(first, ("x", "y"), strict=True):
        assert not bench.look(bench.desk.claimed(only(bench, job)), content).elsewhere
    for job, content in zip(second, ("y", "x"), strict=True):
        assert bench.run(only(bench, job), content) == "waits_for_same_page"
    together, failures = threading.Barrier(2), []

    def append_together(job_id: UUID, *said: Any) -> None:
        append_event(job_id, *said)
        with suppress(threading.BrokenBarrierError):
            together.wait(1)

    monkeypatch.setattr("jobs.submission.cancellations.append_event", append_together)

    def erase(document: Document) -> None:
        try:
            delete_document(identity=bench.desk.identity, document_id=document.id)
        except Exception as failure:
            failures.append(failure)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(documents)) as pool:
        list(pool.map(erase, documents))
    assert failures == []
    assert {bench.desk.again(job).state for job in first + second} == {states.CANCELED}


def test_the_back_off_of_the_first_is_its_own(bench: Bench) -> None:
    one, other = bench.text(), bench.text()
    claim = bench.desk.claimed(only(bench, one))
    bench.look(claim)
    bench.run(only(bench, other))
    fail_page(claim, AWAY, may_retry=True)
    assert (due(bench, one), due(bench, other)) == (False, True)


def test_a_page_taken_from_a_silent_worker_gives_way_to_those_that_waited_for_it(bench: Bench) -> None:
    one, other = bench.text(), bench.text()
    bench.look(bench.desk.claimed(only(bench, one)))
    bench.run(only(bench, other))
    bench.desk.expire_lease(only(bench, one))
    claim = bench.desk.claimed(only(bench, one))
    assert due(bench, other), "whoever registered is gone"
    assert bench.run(only(bench, other)) == "run"
    assert bench.look(claim).cached is not None


def test_while_the_first_is_ending_the_other_comes_again_soon_and_waits_for_no_lock(bench: Bench) -> None:
    one, other = bench.text(), bench.text()
    bench.look(bench.desk.claimed(only(bench, one)))
    claim = bench.desk.claimed(only(bench, other))
    with connections["owner"].cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SET LOCAL ROLE maas_operator")
        cursor.execute("SELECT FROM jobs_page WHERE job_id = %s FOR UPDATE", [one.id])
        assert wait_for_it(claim, bench.key(claim)) == "waits_for_same_page"
        cursor.execute("ROLLBACK")
    wait_s = (only(bench, other).run_after - only(bench, one).started_at).total_seconds()  # type: ignore[operator]
    assert wait_s < 5


def test_of_many_that_ask_at_once_one_runs(bench: Bench) -> None:
    jobs = [bench.text() for _ in range(12)]
    claims = [bench.desk.claimed(only(bench, job)) for job in jobs]
    keys = [bench.key(claim) for claim in claims]
    gate, elsewhere = threading.Barrier(len(claims)), []

    def ask(number: int) -> None:
        gate.wait()
        try:
            elsewhere.append(look(claims[number], keys[number]).elsewhere)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(claims)) as pool:
        list(pool.map(ask, range(len(claims))))
    assert sorted(elsewhere) == [False] + [True] * 11


def test_whoever_lost_the_page_neither_waits_nor_takes(bench: Bench) -> None:
    known = bench.text()
    bench.run_all(known)
    job = bench.text(wish="no-cache")
    claim = bench.desk.claimed(only(bench, job))
    found = bench.look(claim).cached
    assert found is not None
    cancel_job(identity=bench.desk.identity, job_id=job.id)
    with pytest.raises(LeaseLost):
        wait_for_it(claim, bench.key(claim))
    with pytest.raises(LeaseLost):
        take_known_page(claim, bench.key(claim), found)
    assert bench.charges(job) == []


def test_whoever_takes_a_result_keeps_nobody_else_from_taking_it(bench: Bench) -> None:
    one, other, third = bench.text(), bench.text(), bench.text()
    claims = [bench.desk.claimed(only(bench, job)) for job in (other, third)]
    bench.run(only(bench, one))
    assert [bench.look(claim).cached is not None for claim in claims] == [True, True]


def test_no_cache_neither_waits_nor_is_waited_for(bench: Bench) -> None:
    one = bench.text()
    bench.look(bench.desk.claimed(only(bench, one)))
    assert bench.run_all(bench.text(wish="no-cache")) == ["run"]


def test_a_page_that_waits_says_so(bench: Bench) -> None:
    one, other = bench.text(), bench.text()
    bench.look(bench.desk.claimed(only(bench, one)))
    bench.run(only(bench, other))
    with unit_of_work(other.tenant_id):
        last = Event.objects.filter(job=other).order_by("-seq")[0]
    assert (last.type, last.data["reason"]) == ("page.requeued", "same_page_runs")


def test_a_page_that_takes_a_result_takes_what_was_said_about_it(bench: Bench) -> None:
    job = bench.read(bench.desk.document(2))
    bench.run_all(bench.read(bench.opened("a")), "a", output=FLAGGED)
    assert bench.run_all(job, "a", "new") == ["hit", "run"]
    taken, ran = bench.desk.pages(job)
    assert [(page.quality, page.needs_review) for page in (taken, ran)] == [(0.4, True), (None, False)]
    done = bench.desk.again(job)
    assert (done.pages_to_review, done.quality, done.class_label) == (1, 0.4, "invoice")
