"""Tests that canceled work frees its slots, and that a retry costs only what was not done before."""

from tests.samples.pdfs import one_broken_page_pdf
from tests.waiting import eventually

from .caller import Caller, assert_problem
from .conftest import FOUR, MANY
from .product import Product


def test_a_queued_job_is_canceled_at_once_and_never_runs(caller: Caller, product: Product, four_pages: bytes) -> None:
    document = caller.upload(four_pages)["id"]
    ahead = [caller.submit("ocr", document=document)["id"] for _ in range(3)]
    queued = caller.submit("ocr", document=document)["id"]
    canceled = caller.post(f"/v1/jobs/{queued}/cancel", 200)
    assert canceled["state"] == "canceled"
    for job_id in ahead:
        caller.post(f"/v1/jobs/{job_id}/cancel", 200)
    behind = caller.submit("ocr", document=document)["id"]
    assert caller.ended(behind)["state"] == "succeeded"
    assert [event["type"] for event in caller.events(queued)] == ["job.queued", "job.canceled"]
    assert caller.pages_in(queued, "canceled") == FOUR
    assert product.usage_of(queued) == []


def test_canceling_a_running_job_keeps_and_charges_what_was_done_and_a_retry_does_the_rest(
    caller: Caller, product: Product, many_pages: bytes
) -> None:
    job_id = caller.submit_file(many_pages, model="ocr").json()["id"]
    eventually(lambda: caller.pages_in(job_id, "succeeded"), "a first page")
    canceled = caller.post(f"/v1/jobs/{job_id}/cancel", 200)
    assert canceled["state"] == "canceled"
    assert caller.post(f"/v1/jobs/{job_id}/cancel", 200)["state"] == "canceled"
    kept = caller.pages_in(job_id, "succeeded")
    assert 1 <= len(kept) < len(MANY)
    # The retry is queued behind the pages that were in progress, so their results have been dropped by its end.
    retry = caller.post(f"/v1/jobs/{job_id}/retry", 202)
    assert (retry["retry_of"], retry["pages_done"]) == (job_id, len(kept))
    ended = caller.ended(retry["id"])
    assert (ended["state"], ended["pages_succeeded"]) == ("succeeded", len(MANY))
    assert [number for number, _ in product.usage_of(job_id)] == kept
    new = product.usage_of(retry["id"])
    assert [number for number, _ in new] == [number for number in MANY if number not in kept]
    assert ended["cost"]["amount_micros"] == sum(charge for _, charge in new)
    assert all(
        f"Page number {page['number']}" in page["text"]
        for page in caller.get(f"/v1/jobs/{retry['id']}/result")["pages"]
    )


def test_a_retry_of_a_partly_failed_job_takes_over_its_finished_pages_at_no_charge(
    caller: Caller, product: Product
) -> None:
    job = caller.ended(caller.submit_file(one_broken_page_pdf()).json()["id"])
    assert job["state"] == "partially_succeeded"
    assert (job["error"]["code"], job["pages_failed"]) == ("pages_failed", 1)
    broken = caller.pages(job["id"])[1]
    assert (broken["state"], broken["error"]["code"]) == ("failed", "document_corrupt")
    retry = caller.ended(caller.post(f"/v1/jobs/{job['id']}/retry", 202)["id"])
    assert (retry["state"], retry["pages_succeeded"]) == ("partially_succeeded", 2)
    assert retry["cost"]["amount_micros"] == 0
    assert product.usage_of(retry["id"]) == []
    old, new = caller.pages(job["id"]), caller.pages(retry["id"])
    assert [page.get("text") for page in new] == [page.get("text") for page in old]


def test_what_cannot_be_done_in_a_state_is_refused_with_409(caller: Caller, three_pages: bytes) -> None:
    job_id = caller.submit_file(three_pages, model="ocr").json()["id"]
    assert_problem(caller.http.post(f"/v1/jobs/{job_id}/retry"), 409, "job_not_finished")
    assert caller.ended(job_id)["state"] == "succeeded"
    assert_problem(caller.http.post(f"/v1/jobs/{job_id}/retry"), 409, "nothing_to_retry")
    assert_problem(caller.http.post(f"/v1/jobs/{job_id}/cancel"), 409, "job_finished")
    assert caller.job(job_id)["state"] == "succeeded"
