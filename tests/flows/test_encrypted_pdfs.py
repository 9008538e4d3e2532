"""Tests PDFs with a password on the running product: the password opens them once, and stays nowhere."""

import gzip
from pathlib import Path
from uuid import uuid4

from tests.samples.pdfs import locked_pdf
from tests.waiting import eventually

from .caller import Caller
from .product import Product


def test_a_pdf_is_read_with_its_password_which_no_file_keeps(caller: Caller, product: Product) -> None:
    mark, password = uuid4().hex, f"pass{uuid4().hex}"
    content = locked_pdf(f"boxes {mark}", user=password)
    files, form = {"file": ("locked.pdf", content)}, {"model": "parse", "password": password}
    key = {"Idempotency-Key": mark}
    answer = caller.http.post("/v1/jobs", files=files, data=form, headers=key)
    assert answer.status_code == 202, answer.text
    job = caller.ended(answer.json()["id"])
    assert mark in caller.get(f"/v1/jobs/{job['id']}/result")["text"]
    again = caller.http.post("/v1/jobs", files=files, data=form, headers=key)
    assert (again.json()["id"], again.headers["idempotent-replay"]) == (job["id"], "true")
    stored = caller.http.get(f"/v1/documents/{job['document']}/content").content
    assert (b"/Encrypt" in stored, stored[:5]) == (False, b"%PDF-")
    twin = caller.http.post("/v1/documents", files=files, data={"password": password}).json()
    assert (twin["id"], twin["duplicate"]) == (job["document"], True)
    for wrong, code in (("", "document_encrypted"), (f"not {password}", "wrong_password")):
        refused = caller.http.post("/v1/documents", files=files, data={"password": wrong})
        assert (refused.status_code, refused.json()["code"]) == (422, code)
        assert password not in refused.text
    eventually(lambda: not list((product.home / "spool").rglob("?" * 32)), "the end of all spool files", 10)
    assert password.encode() not in _all_bytes(product.home)


def _all_bytes(home: Path) -> bytes:
    """Return all files that the product has written on this machine."""
    found = []
    for path in home.rglob("*"):
        if path.is_file():
            try:
                content = path.read_bytes()
            except OSError:
                continue
            found.append(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content)
    assert any(b"%PDF-" in content for content in found)
    return b"\n".join(found)


def test_an_estimate_takes_the_password_and_a_stored_document_none(caller: Caller) -> None:
    files = {"file": ("locked.pdf", locked_pdf(uuid4().hex))}
    priced = caller.http.post("/v1/estimate", files=files, data={"model": "parse", "password": "secret"})
    assert (priced.status_code, priced.json()["quantity"]) == (200, 1)
    body = {"model": "parse", "document": str(uuid4()), "password": "secret"}
    refused = caller.http.post("/v1/jobs", json=body)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
