"""Tests documents that are sent again, documents that were changed, and many at once, on the whole product."""

import io
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from PIL import Image

from tests.flows.caller import Caller
from tests.flows.product import Account, Product
from tests.samples.images import drawn_page
from tests.samples.pdfs import scanned_pdf

SHEETS = ("Sheet one: barley", "Sheet two: oats", "Sheet three: rye")


@pytest.fixture(scope="module")
def account(product: Product) -> Account:
    """Return an account whose cache has only what these tests send, each its own pages."""
    return product.create_account("Known")


def sent(product: Product, account: Account, data: bytes, *, wait_s: int = 60, asked: str = "") -> httpx.Response:
    headers = {"Cache-Control": asked} | ({"Prefer": f"wait={wait_s}"} if wait_s else {})
    with Caller(product.running.url, account.key) as caller:
        files = {"file": ("scan.pdf", data)}
        return caller.http.post("/v1/jobs", data={"model": "ocr"}, files=files, headers=headers)


def bound(*sheets: Image.Image) -> bytes:
    out = io.BytesIO()
    sheets[0].save(out, "PDF", resolution=400, save_all=True, append_images=sheets[1:])
    return out.getvalue()


def test_a_document_sent_again_is_done_in_the_answer_and_a_changed_one_runs_its_new_page(
    product: Product, account: Account
) -> None:
    sheets = [drawn_page(sheet, noise=6) for sheet in SHEETS]
    scan = bound(*sheets)
    first = sent(product, account, scan)
    assert (first.json()["state"], first.headers["x-cache"]) == ("succeeded", "MISS")
    again = sent(product, account, scan, wait_s=0)
    job = again.json()
    assert (again.status_code, again.headers["x-cache"], job["state"]) == (200, "HIT", "succeeded")
    assert again.headers["age"].isdecimal()
    assert job["pages_cached"] == 3
    assert job["cost"]["amount_micros"] < first.json()["cost"]["amount_micros"]
    new = drawn_page("Sheet two: buckwheat", noise=6)
    changed = sent(product, account, bound(sheets[0], new, sheets[2])).json()
    assert (changed["state"], changed["pages_cached"]) == ("succeeded", 2)
    assert [page["cached"] for page in changed["result"]["pages"]] == [True, False, True]
    assert "buckwheat" in changed["result"]["text"]


def test_of_many_that_come_at_once_one_is_run(product: Product, account: Account) -> None:
    scan = scanned_pdf("All at once: millet", dpi=400)
    with ThreadPoolExecutor(6) as callers:
        answers = list(callers.map(lambda _: sent(product, account, scan), range(6)))
    jobs = [answer.json() for answer in answers]
    assert [job["state"] for job in jobs] == ["succeeded"] * 6
    assert sorted(job["pages_cached"] for job in jobs) == [0, 1, 1, 1, 1, 1]
    assert {job["result"]["text"] for job in jobs} == {jobs[0]["result"]["text"]}


def test_whoever_asks_for_no_store_has_every_page_run(product: Product, account: Account) -> None:
    scan = scanned_pdf("Run me each time: sorghum", dpi=400)
    for _ in range(2):
        answer = sent(product, account, scan, asked="no-store")
        assert (answer.headers["x-cache"], answer.json()["pages_cached"]) == ("BYPASS", 0)
