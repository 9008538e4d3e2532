from collections.abc import Callable

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from inference.core.contracts import Embedding, WorkOutput
from jobs.core import states
from jobs.core.models import Event
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.results.reuse.accepting import MAX_SEARCHED_PAGES
from jobs.results.reuse.cached_pages import HIT
from jobs.retention.documents import delete_document
from jobs.search.backfill import index_ordered_jobs
from jobs.search.selectors import search_jobs
from jobs.search.services import meaning_available
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest
from tenants.accounts.results import erase_results
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.own_fields.conftest import ContractDesk, listed, own, page
from tests.jobs.results.reuse.conftest import FLAGGED, TTL_S, Bench

BROKEN = Failure("document_corrupt", "The page cannot be read.")


def test_what_was_read_before_is_done_when_it_is_accepted(bench: Bench) -> None:
    first = bench.text()
    bench.run_all(first)
    again = bench.text()
    assert (again.state, again.pages_succeeded, again.pages_cached) == (states.SUCCEEDED, 1, 1)
    (page,) = bench.desk.pages(again)
    assert (page.result, page.cached, page.attempt) == ({"text": "read"}, True, 0)
    assert page.result_at == bench.desk.pages(first)[0].result_at == again.oldest_result_at


def test_what_was_done_in_the_first_answer_is_so_when_it_is_sent_again(bench: Bench) -> None:
    bench.run_all(bench.text())
    request = JobRequest(model=bench.desk.version.served_model.name, input={"text": "hello"})
    answers = [submit_once(identity=bench.desk.identity, request=request, key="one") for _ in range(2)]
    assert [(one.status, one.replayed) for one in answers] == [(200, False), (200, True)]


def test_a_known_page_costs_the_price_of_what_is_known_and_is_seen_in_usage(bench: Bench) -> None:
    first = bench.text()
    bench.run_all(first)
    again = bench.text()
    assert (bench.charges(first), bench.charges(again)) == ([("page", 1500)], [("cache", 150)])
    assert (bench.desk.again(again).cost_micros, again.cost_micros) == (150, 150)


def test_usage_says_whose_key_it_was_and_what_the_known_page_saved(bench: Bench) -> None:
    key_id = bench.desk.identity.key_id
    assert key_id is not None
    first = bench.text()
    bench.run_all(first)
    (ran,), (known,) = bench.uses(first), bench.uses(bench.text())
    assert (ran.key_id, ran.cached, ran.saved_micros) == (key_id, False, 0)
    assert (known.key_id, known.cached, known.saved_micros) == (key_id, True, 1500 - 150)


def test_what_a_known_page_costs_is_counted_in_the_units_of_its_run(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(meter="token", price_micros=70)
    bench.run_all(bench.text())
    assert bench.charges(bench.text()) == [("cache", 21)]


def test_a_known_page_is_charged_by_the_time_of_its_run(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(meter="gpu_second", price_micros=70)
    bench.run_all(bench.text())
    assert bench.charges(bench.text()) == [("cache", 2 * 7)]


def test_events_tell_from_which_job_a_result_is(bench: Bench) -> None:
    first = bench.text()
    bench.run_all(first)
    again = bench.text()
    with unit_of_work(again.tenant_id):
        events = list(Event.objects.filter(job=again).order_by("seq"))
    assert [one.type for one in events] == ["job.queued", "page.succeeded", "job.succeeded"]
    assert (events[1].data["cached"], events[1].data["from_job"]) == (True, str(first.id))
    assert (again.last_seq, events[1].data["pages_done"]) == (3, 1)


def test_a_document_with_one_new_page_runs_one_page(bench: Bench) -> None:
    bench.run_all(bench.read(bench.opened("a", "b", "c")), "a", "b", "c")
    job = bench.read(bench.opened("a", "new", "c"))
    assert (job.state, job.pages_succeeded, job.pages_cached) == (states.QUEUED, 2, 2)
    by_state = [(page.number, page.state) for page in bench.desk.pages(job)]
    assert by_state == [(1, "succeeded"), (2, "queued"), (3, "succeeded")]
    bench.run(bench.desk.pages(job)[1], "new")
    done = bench.desk.again(job)
    assert (done.state, done.pages_cached, done.cost_micros) == (states.SUCCEEDED, 2, 1500 + 2 * 150)


def test_more_pages_are_accepted_with_as_many_queries(bench: Bench) -> None:
    def queries(pages: int) -> int:
        contents = [f"{pages}-{number}" for number in range(pages)]
        document = bench.opened(*contents)
        job = bench.read(document)
        bench.run_all(job, *contents)
        with CaptureQueriesContext(connections[APP]) as captured:
            assert bench.read(document).state == states.SUCCEEDED
        # Limits are read again and unfinished jobs are counted from time to time, by whichever request comes just then.
        counts = ("SELECT COUNT(*)", 'SELECT SUM("left")')
        said = [query["sql"] for query in captured if not query["sql"].startswith(counts)]
        return sum("jobs_" in sql or "usagerecord" in sql for sql in said)

    assert queries(12) == queries(40)


def test_what_is_erased_is_known_neither_at_acceptance_nor_to_a_worker(bench: Bench) -> None:
    bench.run_all(bench.text())
    with unit_of_work(bench.desk.identity.tenant_id):
        erase_results(tenant_id=bench.desk.identity.tenant_id)
    one, other = bench.text(), bench.text()
    assert (one.state, other.state) == (states.QUEUED, states.QUEUED)
    assert bench.run_all(one) == ["run"]
    assert bench.run_all(other) != ["run"], "what has run since is known"
    assert bench.text().state == states.SUCCEEDED


def test_another_tenant_knows_nothing_of_it(bench: Bench, other_identity: Identity) -> None:
    bench.run_all(bench.text())
    assert bench.text(identity=other_identity).state == states.QUEUED


def test_test_keys_and_live_keys_know_nothing_of_each_other(bench: Bench) -> None:
    test = Identity(**{**vars(bench.desk.identity), "livemode": False})
    bench.run_all(bench.text())
    tried = bench.text(identity=test)
    assert tried.state == states.QUEUED
    bench.run_all(tried)
    again = bench.text(identity=test)
    assert (again.state, bench.charges(again)) == (states.SUCCEEDED, [("cache", 0)])


def test_a_result_that_is_too_old_is_made_anew(bench: Bench) -> None:
    job = bench.text()
    bench.run_all(job)
    bench.desk.rewrite(
        "jobs_page",
        f"UPDATE jobs_page SET result_at = result_at - interval '{TTL_S + 1} seconds' WHERE job_id = %s",
        job.id,
    )
    assert bench.text().state == states.QUEUED


def test_a_result_does_not_grow_younger_by_being_taken_over(bench: Bench) -> None:
    job = bench.text()
    bench.run_all(job)
    bench.desk.rewrite(
        "jobs_page",
        f"UPDATE jobs_page SET result_at = result_at - interval '{TTL_S - 5} seconds' WHERE job_id = %s",
        job.id,
    )
    assert bench.text().oldest_result_at == bench.desk.pages(job)[0].result_at


def test_a_model_whose_results_are_not_kept_runs_each_time(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(cache_ttl_s=0)
    job = bench.text()
    assert bench.run_all(job) == ["run"]
    assert bench.text().state == states.QUEUED
    assert bench.desk.pages(job)[0].cache_key is None


def test_no_cache_runs_and_may_answer_others(bench: Bench) -> None:
    bench.run_all(bench.text())
    fresh = bench.text(wish="no-cache")
    assert bench.run_all(fresh) == ["run"]
    assert bench.text().oldest_result_at == bench.desk.pages(fresh)[0].result_at


def test_no_store_runs_and_answers_nobody(bench: Bench) -> None:
    bench.run_all(bench.text())
    alone = bench.text(wish="no-store")
    assert bench.run_all(alone) == ["run"]
    bench.run_all(bench.text("other", wish="no-store"))
    assert bench.text("other").state == states.QUEUED


def test_what_failed_answers_nobody(bench: Bench) -> None:
    fail_page(bench.desk.claimed(bench.desk.pages(bench.text())[0]), BROKEN, may_retry=False)
    assert bench.text().state == states.QUEUED


def test_results_of_an_erased_document_answer_nobody(bench: Bench) -> None:
    document = bench.opened("a", "b")
    bench.run_all(bench.read(document), "a", "b")
    delete_document(identity=bench.desk.identity, document_id=document.id)
    job = bench.read(bench.opened("a", "b"))
    assert (job.state, job.pages_cached) == (states.QUEUED, 0)


def test_what_stands_in_a_document_that_is_still_there_is_known_from_that_one(bench: Bench) -> None:
    first, second = bench.opened("a"), bench.opened("a")
    bench.run_all(bench.read(first), "a")
    assert bench.read(second).state == states.SUCCEEDED
    delete_document(identity=bench.desk.identity, document_id=first.id)
    assert bench.read(second).state == states.SUCCEEDED


def test_a_retry_takes_finished_pages_over_at_no_charge_and_asks_for_the_others(bench: Bench) -> None:
    document = bench.opened("a", "b")
    job = bench.read(document)
    first, second = bench.desk.pages(job)
    bench.run(first, "a")
    fail_page(bench.desk.claimed(second), BROKEN, may_retry=False)
    bench.run_all(bench.read(bench.opened("b"), "no-cache"), "b")
    again = retry_job(identity=bench.desk.identity, job_id=job.id)
    assert (again.state, again.pages_cached, again.cost_micros) == (states.SUCCEEDED, 1, 150)
    assert bench.charges(again) == [("cache", 150)]


def test_a_known_page_is_found_by_its_words_and_by_the_name_of_its_own_document(bench: Bench) -> None:
    words = WorkOutput({"text": "lighthouse keeper"})
    document = bench.opened("a", name="first.pdf")
    first = bench.read(document)
    claim = bench.desk.claimed(bench.desk.pages(first)[0])
    finish_page(claim, words, key=bench.key(claim, "a"))
    again = bench.read(document)
    with unit_of_work(again.tenant_id):
        found = {hit.job_id for hit in search_jobs("lighthouse first")}
    assert found == {first.id, again.id}


def test_of_another_document_words_are_cut_anew_with_its_own_name(bench: Bench) -> None:
    first = bench.read(bench.opened("a", name="first.pdf"))
    claim = bench.desk.claimed(bench.desk.pages(first)[0])
    finish_page(claim, WorkOutput({"text": "lighthouse keeper"}), key=bench.key(claim, "a"))
    second = bench.read(bench.opened("a", name="second.pdf"))
    index_ordered_jobs()
    with unit_of_work(second.tenant_id):
        assert {hit.job_id for hit in search_jobs("lighthouse second")} == {second.id}
        assert {hit.job_id for hit in search_jobs("lighthouse first")} == {first.id}


def test_a_known_page_is_found_by_its_meaning(bench: Bench) -> None:
    job = bench.text()
    claim = bench.desk.claimed(bench.desk.pages(job)[0])
    with unit_of_work(job.tenant_id):
        if not meaning_available():
            pytest.skip("no pgvector")
    finish_page(claim, WorkOutput({"text": "read"}, embedding=Embedding("d", (1.0, 0.0))), key=bench.key(claim))
    again = bench.text()
    with unit_of_work(job.tenant_id), connections[APP].cursor() as cursor:
        cursor.execute("SELECT number FROM jobs_pageembedding WHERE job_id = %s", [again.id])
        assert cursor.fetchall() == [(1,)]


def test_known_pages_keep_what_was_said_about_checking_them_and_their_class(bench: Bench) -> None:
    bench.run_all(bench.read(bench.opened("a", "b")), "a", "b", output=FLAGGED)
    again = bench.read(bench.opened("a", "b"))
    assert [(page.quality, page.needs_review) for page in bench.desk.pages(again)] == [(0.4, True), (0.4, True)]
    assert (again.state, again.pages_to_review, again.quality) == (states.SUCCEEDED, 2, 0.4)
    assert (again.class_label, again.class_probabilities) == ("invoice", {"invoice": 0.75, "letter": 0.25})
    assert bench.desk.again(again).class_label == "invoice"


def test_a_long_job_with_own_fields_whose_pages_are_all_known_is_ended_by_a_worker(bench: Bench) -> None:
    desk = ContractDesk(bench.desk.identity, bench.desk.version)
    contents = [f"page {number}" for number in range(1, MAX_SEARCHED_PAGES + 2)]
    document = bench.opened(*contents)
    first = bench.read(document)
    for row, content in zip(desk.pages(first), contents, strict=True):
        bench.run(row, content, WorkOutput(listed(f"AB-{row.number:04}")))
    assert bench.read(document).state == states.SUCCEEDED  # There are no own fields yet.
    desk.field(desk.again(first), labels=["Contract number"], place="column")
    job = bench.read(document)
    assert (job.state, job.pages_succeeded) == (states.QUEUED, MAX_SEARCHED_PAGES)
    assert bench.run(desk.pages(job)[-1], contents[-1]) == HIT
    numbers = [field["value"] for field in own(desk.again(job))]
    assert numbers == [f"AB-{number:04}" for number in range(1, MAX_SEARCHED_PAGES + 2)]


def test_a_short_job_with_own_fields_whose_pages_are_all_known_ends_as_it_is_accepted(bench: Bench) -> None:
    desk = ContractDesk(bench.desk.identity, bench.desk.version)
    document = bench.opened("one")
    first = bench.read(document)
    bench.run(desk.pages(first)[0], "one", WorkOutput(page("AB-1234")))
    desk.field(desk.again(first))
    job = bench.read(document)
    assert job.state == states.SUCCEEDED
    assert [field["value"] for field in own(desk.again(job))] == ["AB-1234"]
