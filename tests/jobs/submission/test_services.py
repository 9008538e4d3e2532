import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from inference.core.contracts import WorkRefused
from inference.registry.errors import ModelNotFound, ModelPaused
from inference.registry.selectors import remembering_versions
from inference.registry.services import set_paused
from jobs.core import states
from jobs.core.errors import DocumentDeleted, Fenced, JobFinished, JobNotFinished, NothingToRetry
from jobs.core.models import Document, Job
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.retention.deleting import delete_document
from jobs.submission.services import JobRequest, cancel_job, retry_job, submit_job
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity
from tests.jobs.conftest import DONE, Desk

BROKEN = Failure("document_corrupt", "The page cannot be read.")


def test_a_job_keeps_the_price_it_was_accepted_under(desk: Desk) -> None:
    job = desk.submit()
    desk.sql(f"UPDATE inference_servedmodel SET price_micros = 9 WHERE id = {desk.version.served_model_id}")
    desk.finish(desk.pages(job)[0])
    assert desk.again(job).cost_micros == 1500


@pytest.mark.parametrize("both", [True, False])
def test_a_job_needs_either_a_document_or_an_input(desk: Desk, both: bool) -> None:
    request = JobRequest(
        model=desk.version.served_model.name,
        document_id=uuid4() if both else None,
        input={"text": "a"} if both else None,
    )
    with pytest.raises(InvalidRequest, match="exactly one"):
        submit_job(identity=desk.identity, request=request)


def test_a_job_of_one_page_is_accepted_in_few_trips(desk: Desk) -> None:
    """The caller waits for each statement, and many times as long if many callers submit at once."""
    request = JobRequest(
        model=desk.version.served_model.name, input={"text": "hello"}, cache_control="no-store"
    )
    with remembering_versions(60.0):
        submit_job(identity=desk.identity, request=request)
        with CaptureQueriesContext(connections[APP]) as captured:
            submit_job(identity=desk.identity, request=request)
    said = [query["sql"].split() for query in captured]
    # The statements besides BEGIN and COMMIT bound the cost, insert the job, and write its beginning.
    assert len([words for words in said if words[0] not in ("BEGIN", "COMMIT")]) <= 3, said


def test_a_jobs_first_event_is_the_first_of_its_tenants_stream(desk: Desk) -> None:
    job = desk.submit()
    with unit_of_work(desk.identity.tenant_id), connections[APP].cursor() as cursor:
        cursor.execute(
            "SELECT event.seq, event.type, event.xid = job.last_xid, job.last_seq FROM jobs_job job"
            " JOIN jobs_event event ON event.job_id = job.id WHERE job.id = %s",
            [job.id],
        )
        assert cursor.fetchall() == [(1, "job.queued", True, 1)]


def test_an_unknown_model_is_named_with_those_that_are_served(desk: Desk) -> None:
    with pytest.raises(ModelNotFound, match="Available models: "):
        submit_job(identity=desk.identity, request=JobRequest(model="no-such-model", input={"text": "a"}))


def test_a_paused_model_takes_no_new_work(desk: Desk) -> None:
    set_paused(name=desk.version.served_model.name, paused=True)
    with pytest.raises(ModelPaused):
        desk.submit()


def test_what_a_model_does_not_take_is_refused_before_any_work(desk: Desk) -> None:
    request = JobRequest(model=desk.version.served_model.name, input={"tensors": []})
    with pytest.raises(WorkRefused, match="not tensors"):
        submit_job(identity=desk.identity, request=request)


def test_anothers_document_is_as_unknown_as_one_that_never_was(desk: Desk, other_identity: Identity) -> None:
    document = desk.document(1)
    words = []
    for document_id in (document.id, uuid4()):
        request = JobRequest(model=desk.version.served_model.name, document_id=document_id)
        with pytest.raises(NotFound) as refusal:
            submit_job(identity=other_identity, request=request)
        words.append(refusal.value.detail.replace(str(document_id), "ID"))
    assert words[0] == words[1]


def test_canceling_a_queued_job_leaves_nothing_to_claim(desk: Desk) -> None:
    job = desk.submit(pages=2)
    assert cancel_job(identity=desk.identity, job_id=job.id).state == states.CANCELED
    assert [desk.claim(page) for page in desk.pages(job)] == [None, None]


def test_canceling_a_running_job_throws_the_running_page_away_unpaid(desk: Desk) -> None:
    job = desk.submit(pages=2)
    first, second = desk.pages(job)
    desk.finish(first)
    claim = desk.claimed(second)
    cancel_job(identity=desk.identity, job_id=job.id)
    with pytest.raises(Fenced):
        finish_page(claim, DONE)
    ended = desk.again(job)
    assert (ended.state, ended.pages_succeeded, ended.cost_micros) == (states.CANCELED, 1, 1500)


def test_canceling_twice_is_harmless_but_an_ended_job_says_so(desk: Desk) -> None:
    job, done = desk.submit(), desk.submit()
    desk.finish(desk.pages(done)[0])
    cancel_job(identity=desk.identity, job_id=job.id)
    assert cancel_job(identity=desk.identity, job_id=job.id).state == states.CANCELED
    with pytest.raises(JobFinished, match="succeeded"):
        cancel_job(identity=desk.identity, job_id=done.id)


def test_a_retry_takes_over_finished_pages_at_no_charge(desk: Desk) -> None:
    old = desk.submit(pages=3)
    first, second, third = desk.pages(old)
    desk.finish(first)
    fail_page(desk.claimed(second), BROKEN, may_retry=False)
    desk.finish(third)
    new = retry_job(identity=desk.identity, job_id=old.id)
    assert [page.state for page in desk.pages(new)] == [states.SUCCEEDED, states.QUEUED, states.SUCCEEDED]
    desk.finish(desk.pages(new)[1])
    ended = desk.again(new)
    assert (ended.state, ended.retry_of_id, ended.cost_micros) == (states.SUCCEEDED, old.id, 1500)
    with unit_of_work(desk.identity.tenant_id):
        assert UsageRecord.objects.count() == 3


def test_pages_that_are_taken_over_stand_with_the_new_ones_in_order_of_time(desk: Desk) -> None:
    old = desk.submit(pages=2)
    desk.finish(desk.pages(old)[0])
    fail_page(desk.claimed(desk.pages(old)[1]), BROKEN, may_retry=False)
    new = retry_job(identity=desk.identity, job_id=old.id)
    ids = [page.id for page in desk.pages(new)]
    assert {page_id.version for page_id in ids} == {7}
    assert min(ids) > max(page.id for page in desk.pages(old))


def test_only_what_ended_badly_can_be_retried(desk: Desk) -> None:
    running, done = desk.submit(), desk.submit()
    desk.finish(desk.pages(done)[0])
    with pytest.raises(JobNotFinished):
        retry_job(identity=desk.identity, job_id=running.id)
    with pytest.raises(NothingToRetry):
        retry_job(identity=desk.identity, job_id=done.id)


def test_erasing_a_document_cancels_its_unfinished_jobs(desk: Desk) -> None:
    job = desk.submit(pages=2)
    assert job.document_id is not None
    delete_document(identity=desk.identity, document_id=job.document_id)
    assert desk.again(job).state == states.CANCELED
    with pytest.raises(DocumentDeleted):
        delete_document(identity=desk.identity, document_id=job.document_id)
    with pytest.raises(DocumentDeleted):
        retry_job(identity=desk.identity, job_id=job.id)


def test_nothing_of_another_tenants_job_can_be_done(desk: Desk, other_identity: Identity) -> None:
    job = desk.submit()
    for action in (cancel_job, retry_job):
        with pytest.raises(NotFound):
            action(identity=other_identity, job_id=job.id)
    assert desk.again(job).state == states.QUEUED


def test_asking_again_for_a_retry_gives_the_one_under_way(desk: Desk) -> None:
    old = desk.submit()
    fail_page(desk.claimed(desk.pages(old)[0]), BROKEN, may_retry=False)
    first = retry_job(identity=desk.identity, job_id=old.id)
    assert retry_job(identity=desk.identity, job_id=old.id).id == first.id
    cancel_job(identity=desk.identity, job_id=first.id)
    assert retry_job(identity=desk.identity, job_id=old.id).id != first.id


def test_a_retry_that_is_asked_for_again_after_it_succeeded_is_the_same_one(desk: Desk) -> None:
    """A caller that lost the response of the first retry asks again, when the job has already ended."""
    old = desk.submit(pages=2)
    fail_page(desk.claimed(desk.pages(old)[0]), BROKEN, may_retry=False)
    desk.finish(desk.pages(old)[1])
    first = retry_job(identity=desk.identity, job_id=old.id)
    desk.finish(desk.pages(first)[0])
    assert retry_job(identity=desk.identity, job_id=old.id).id == first.id
    with unit_of_work(desk.identity.tenant_id):
        assert UsageRecord.objects.count() == 2


def test_a_retry_after_one_that_did_not_succeed_goes_on_where_that_one_came_to(desk: Desk) -> None:
    """No page is charged a second time."""
    old = desk.submit(pages=3)
    for page in desk.pages(old):
        fail_page(desk.claimed(page), BROKEN, may_retry=False)
    first = retry_job(identity=desk.identity, job_id=old.id)
    done, failed, _ = desk.pages(first)
    desk.finish(done)
    fail_page(desk.claimed(failed), BROKEN, may_retry=False)
    cancel_job(identity=desk.identity, job_id=first.id)
    second = retry_job(identity=desk.identity, job_id=old.id)
    assert (second.retry_of_id, second.pages_succeeded) == (old.id, 1)
    assert [page.state for page in desk.pages(second)] == [states.SUCCEEDED, states.QUEUED, states.QUEUED]
    with unit_of_work(desk.identity.tenant_id):
        assert UsageRecord.objects.count() == 1


def test_a_retry_of_a_retry_is_one_of_the_first_job_as_well(desk: Desk) -> None:
    """A second retry of either job runs nothing beside the work under way, and charges no page twice."""
    first = desk.submit()
    fail_page(desk.claimed(desk.pages(first)[0]), BROKEN, may_retry=False)
    second = retry_job(identity=desk.identity, job_id=first.id)
    fail_page(desk.claimed(desk.pages(second)[0]), BROKEN, may_retry=False)
    third = retry_job(identity=desk.identity, job_id=second.id)
    assert retry_job(identity=desk.identity, job_id=first.id).id == third.id
    desk.finish(desk.pages(third)[0])
    for job in (first, second):
        assert retry_job(identity=desk.identity, job_id=job.id).id == third.id
    with unit_of_work(desk.identity.tenant_id):
        assert UsageRecord.objects.count() == 1


def test_a_retry_of_what_was_retried_in_another_way_goes_on_where_that_came_to(desk: Desk) -> None:
    first = desk.submit(pages=2)
    cancel_job(identity=desk.identity, job_id=first.id)
    second = retry_job(identity=desk.identity, job_id=first.id)
    cancel_job(identity=desk.identity, job_id=second.id)
    beside = retry_job(identity=desk.identity, job_id=first.id)
    desk.finish(desk.pages(beside)[0])
    cancel_job(identity=desk.identity, job_id=beside.id)
    third = retry_job(identity=desk.identity, job_id=second.id)
    assert (third.retry_of_id, third.pages_succeeded) == (second.id, 1)


def test_retries_of_several_of_a_chain_at_once_make_one_job(desk: Desk) -> None:
    first = desk.submit()
    cancel_job(identity=desk.identity, job_id=first.id)
    second = retry_job(identity=desk.identity, job_id=first.id)
    cancel_job(identity=desk.identity, job_id=second.id)

    def again(job: Job) -> UUID:
        try:
            return retry_job(identity=desk.identity, job_id=job.id).id
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(again, [first, second] * 4))
    assert len(made) == 1


def test_jobs_and_the_erasure_of_their_document_never_wait_in_a_circle(desk: Desk) -> None:
    failed: list[Exception] = []

    def submit_and_erase(document: Document) -> None:
        request = JobRequest(model=desk.version.served_model.name, document_id=document.id)
        try:
            job = submit_job(identity=desk.identity, request=request)
            threads = [
                threading.Thread(target=attempt, args=[lambda: desk.claim(desk.pages(job)[0])]),
                threading.Thread(
                    target=attempt,
                    args=[lambda: delete_document(identity=desk.identity, document_id=document.id)],
                ),
                threading.Thread(
                    target=attempt, args=[lambda: submit_job(identity=desk.identity, request=request)]
                ),
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            connections.close_all()

    def attempt(do: Callable[[], object]) -> None:
        try:
            do()
        except DocumentDeleted:
            pass
        except Exception as error:
            failed.append(error)
        finally:
            connections.close_all()

    for _ in range(12):
        submit_and_erase(desk.document(1))
    assert failed == []
