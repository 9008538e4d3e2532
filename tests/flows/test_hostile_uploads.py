"""Tests that malicious files get their exact refusal, and that no process is affected."""

import pytest

from maas.web.errors.api_errors import status_of
from tests.jobs.documents.reader.test_hostile_documents import HOSTILE
from tests.samples.pdfs import CATALOG, FONT, laughing_pdf, page, pages, pdf, stream, text_pdf
from tests.waiting import eventually

from .caller import Caller, assert_problem
from .product import Product


def bomb_between_texts(levels: int = 12) -> bytes:
    """Return a PDF of three pages. The second draws a form that draws forms, ten to the power of `levels` in total."""
    first = 10
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]"
    inner = [
        stream(b"/X Do " * 10, form + b" /Resources << /XObject << /X %d 0 R >> >>" % (first + level + 1))
        for level in range(levels)
    ]
    return pdf(
        [
            CATALOG,
            pages([4, 6, 8]),
            FONT,
            page(5),
            stream(b"BT /F1 12 Tf 72 700 Td (Before the bomb, all is well) Tj ET"),
            page(7, resources=b"/XObject << /X %d 0 R >>" % first),
            stream(b"/X Do"),
            page(9),
            stream(b"BT /F1 12 Tf 72 700 Td (After the bomb, life goes on) Tj ET"),
            *inner,
            stream(b"0 0 1 1 re f ", form),
        ]
    )


def pids(product: Product) -> list[int]:
    """Return the IDs of all processes that the supervisor keeps running."""
    return [product.process(word).pid for word in ("worker", "maas.web_processes", "scheduler")]


def test_every_hostile_file_gets_its_code_and_no_process_dies(caller: Caller, product: Product) -> None:
    before, documents = pids(product), caller.get("/v1/documents", limit=1)["data"]
    for name, (make, code) in HOSTILE.items():
        answer = caller.http.post("/v1/documents", files={"file": (f"{name}.pdf", make())})
        problem = assert_problem(answer, status_of(code), code)
        assert 400 <= problem["status"] < 500, name
        by_job = caller.submit_file(make())
        assert_problem(by_job, status_of(code), code)
    assert pids(product) == before
    assert caller.get("/v1/documents", limit=1)["data"] == documents


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\scan.txt", "scan.txt"),
        ("\u202etxt.exe", "txt.exe"),
        ("x" * 300 + ".txt", None),
        ("<script>alert(1)</script>.txt", None),
    ],
)
def test_a_hostile_name_is_made_harmless(caller: Caller, product: Product, name: str, shown: str | None) -> None:
    outside = product.files_under(".")
    document = caller.upload(f"A text by the name of {name!a}".encode(), name)
    assert shown is None or document["name"] == shown
    assert len(document["name"]) <= 255
    assert not {"/", "\\", "\u202e"} & set(document["name"])
    new = product.files_under(".") - outside
    assert all(path.is_relative_to(product.home / "files" / "tenants") for path in new if "files" in path.parts)
    assert not any("passwd" in str(path) for path in new)


def test_a_bomb_in_one_page_fails_that_page_alone(caller: Caller, product: Product) -> None:
    before = pids(product)
    job = caller.submit_file(bomb_between_texts()).json()
    ended = caller.ended(job["id"])
    assert (ended["state"], ended["pages_succeeded"], ended["pages_failed"]) == ("partially_succeeded", 2, 1)
    first, bomb, last = caller.pages(job["id"])
    assert "Before the bomb" in first["text"]
    assert "After the bomb" in last["text"]
    assert (bomb["state"], bomb["error"]["code"]) == ("failed", "document_too_complex")
    assert bomb["cost"]["amount_micros"] == 0
    assert [number for number, _ in product.usage_of(job["id"])] == [1, 3]
    assert pids(product) == before


def test_two_thousand_pages_that_take_all_they_may_keep_no_other_tenant_waiting(
    caller: Caller, other_caller: Caller
) -> None:
    """Check that another tenant's document is done while the first pages are still being read."""
    other_caller.ended(other_caller.submit_file(text_pdf("Sent while nobody disturbs")).json()["id"])
    bomb = caller.submit_file(laughing_pdf(count=2000)).json()
    try:
        eventually(lambda: len(caller.pages_in(bomb["id"], "running")) > 1, "all readers at work")
        job = other_caller.ended(other_caller.submit_file(text_pdf("A short letter")).json()["id"])
        assert job["state"] == "succeeded"
        now = caller.job(bomb["id"])
        assert (now["state"], now["pages_failed"] < 2) == ("running", True)
    finally:
        caller.post(f"/v1/jobs/{bomb['id']}/cancel", 200)
