"""Tests the main job: a scanned document goes in, its text comes out, and it can be erased again."""

import io
import shlex
import subprocess

import httpx
from PIL import Image

from tests.live_stack import RunningStack
from tests.samples.pdfs import scanned_pdf
from tests.waiting import eventually

from .caller import Caller, assert_problem
from .conftest import MANY, SIX
from .product import Product

PAGES = ("Invoice number 4711", "Dear Ms Okafor", "Report on the archive")


def test_the_printed_curl_line_reads_the_sample(live_stack: RunningStack) -> None:
    log = live_stack.home.with_name("up.log").read_text()
    line = next(line for line in log.splitlines() if line.startswith("curl "))
    argv = [*shlex.split(line), "-w", "\n%{http_code}"]
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    body, _, status = done.stdout.rpartition("\n")
    assert status == "200", body
    for words in ("INVOICE 2026-0417", "Dear Ms Okafor", "Report on the archive of Acme"):
        assert words in body


def test_one_call_with_a_scan_answers_with_the_text_of_all_pages(caller: Caller) -> None:
    answer = caller.submit_file(scanned_pdf(*PAGES, dpi=400), wait_s=60)
    assert answer.status_code == 200
    assert answer.headers["preference-applied"] == "wait=60"
    job = answer.json()
    assert job["state"] == "succeeded"
    assert (job["pages_total"], job["pages_done"]) == (3, 3)
    assert answer.headers["location"] == f"/v1/jobs/{job['id']}"
    shown = [page["text"] for page in job["result"]["pages"]]
    assert [words in text for words, text in zip(PAGES, shown, strict=True)] == [True] * 3
    line = job["result"]["pages"][0]["lines"][0]
    assert len(line["box"]) == 4
    assert 0.5 < line["confidence"] <= 1
    assert job["cost"]["amount_micros"] > 0


def test_an_uploaded_document_is_read_by_a_job_that_names_it(caller: Caller) -> None:
    data = scanned_pdf("A document sent beforehand", dpi=400)
    document = caller.upload(data)
    assert document["pages_total"] == 1
    assert caller.upload(data)["duplicate"]
    job = caller.ended(caller.submit("parse", document=document["id"])["id"])
    assert job["state"] == "succeeded"
    assert "sent beforehand" in caller.get(f"/v1/jobs/{job['id']}/result")["text"]


def test_pages_are_read_while_others_still_run(caller: Caller, six_pages: bytes) -> None:
    answer = caller.submit_file(six_pages, model="ocr")
    assert answer.status_code == 202
    assert answer.headers["retry-after"].isdecimal()
    job_id = answer.json()["id"]
    done = eventually(lambda: caller.pages_in(job_id, "succeeded"), "a first page")
    page = caller.http.get(f"/v1/jobs/{job_id}/pages/{done[0]}")
    result = caller.http.get(f"/v1/jobs/{job_id}/result")
    # The page was requested before the job. If the job still runs, the page was available meanwhile.
    still_running = caller.http.get(f"/v1/jobs/{job_id}")
    assert still_running.json()["state"] == "running"
    assert still_running.headers["retry-after"].isdecimal()
    assert f"Page number {done[0]}" in page.json()["text"]
    assert len(result.json()["pages"]) == len(SIX)
    assert result.headers["retry-after"].isdecimal()
    ended = caller.ended(job_id)
    assert (ended["state"], ended["pages_done"]) == ("succeeded", len(SIX))
    assert "retry-after" not in caller.http.get(f"/v1/jobs/{job_id}").headers


def test_a_wait_that_is_too_short_answers_202_and_where_to_look(caller: Caller, many_pages: bytes) -> None:
    answer = caller.submit_file(many_pages, model="ocr", wait_s=1)
    assert answer.status_code == 202
    assert answer.headers["retry-after"].isdecimal()
    path = answer.headers["location"]
    waited = caller.http.get(path, headers={"Prefer": "wait=60"})
    assert waited.json()["state"] == "succeeded"
    assert len(waited.json()["result"]["pages"]) == len(MANY)


def test_a_pages_picture_is_an_image_for_those_who_may_see_it(caller: Caller, product: Product) -> None:
    job = caller.submit_file(scanned_pdf("Picture me", dpi=400), wait_s=60).json()
    path = job["result"]["pages"][0]["picture"]
    for accepted in ("*/*", "image/png", "image/*"):
        answer = caller.http.get(path, headers={"Accept": accepted})
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("image/")
        assert "private" in answer.headers["cache-control"]
        with Image.open(io.BytesIO(answer.content)) as picture:
            assert min(picture.size) > 500
    assert_problem(httpx.get(caller.url + path), 401, "not_authenticated")
    with product.caller() as stranger:
        assert_problem(stranger.http.get(path), 404, "not_found")


def test_erasing_a_document_leaves_nothing_of_it_on_disk(caller: Caller, product: Product) -> None:
    job = caller.submit_file(scanned_pdf("Forget me", "and me", dpi=400), wait_s=60).json()
    document, picture = job["document"], job["result"]["pages"][0]["picture"]
    assert len(product.files_of(document)) == 3
    assert caller.http.delete(f"/v1/documents/{document}").status_code == 204
    assert product.files_of(document) == []
    for path in (f"/v1/documents/{document}", picture):
        assert_problem(caller.http.get(path), 410, "document_deleted")
    assert_problem(caller.http.delete(f"/v1/documents/{document}"), 410, "document_deleted")
    refused = caller.http.post("/v1/jobs", json={"model": "parse", "document": document})
    assert_problem(refused, 410, "document_deleted")
    assert document not in [one["id"] for one in caller.get("/v1/documents", limit=100)["data"]]


def test_erasing_a_document_cancels_what_runs_on_it(caller: Caller, product: Product, three_pages: bytes) -> None:
    job = caller.submit_file(three_pages, model="ocr").json()
    eventually(lambda: caller.pages_in(job["id"], "running"), "a page under way")
    assert caller.http.delete(f"/v1/documents/{job['document']}").status_code == 204
    assert caller.job(job["id"])["state"] in {"canceled", "succeeded"}
    # A page that was being read meanwhile restores nothing.
    after = caller.submit("parse", input="Is the queue empty again?")
    assert caller.ended(after["id"])["state"] == "succeeded"
    eventually(lambda: not product.files_of(job["document"]), "the last file's end")
