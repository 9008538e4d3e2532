"""Tests an email with attachments on the running product: each is a document that is tied to it, and is read."""

from uuid import uuid4

from tests.samples.emails import email_with
from tests.samples.pdfs import text_pdf
from tests.waiting import eventually

from .caller import Caller, Json


def mail() -> bytes:
    """Return an email that no other test sends."""
    mark = uuid4().hex
    return email_with(("bill.pdf", text_pdf(f"bill {mark}")), ("zeros.bin", b"\0\1"), subject=mark)


def taken(caller: Caller, document_id: str) -> Json:
    def look() -> Json | None:
        shown = caller.get(f"/v1/documents/{document_id}")
        states = [entry["state"] for entry in shown["attachments"]]
        return shown if states and "waiting" not in states else None

    return eventually(look, "the attachments", 90)


def test_attachments_are_read_with_their_email_and_erased_with_it(caller: Caller) -> None:
    answer = caller.http.post("/v1/jobs", files={"file": ("mail.eml", mail())}, data={"model": "parse"})
    assert answer.status_code == 202
    document_id = answer.json()["document"]
    shown = taken(caller, document_id)
    bill, zeros = shown["attachments"]
    assert (shown["attachments_total"], bill["name"], zeros["error"]["code"]) == (2, "bill.pdf", "unsupported_type")
    assert caller.ended(bill["job"])["state"] == "succeeded"
    assert "bill" in caller.get(f"/v1/jobs/{bill['job']}/result")["text"]
    assert caller.get(f"/v1/documents/{bill['document']}")["attachment_of"] == [document_id]
    caller.ended(answer.json()["id"])
    gone = caller.http.delete(f"/v1/documents/{document_id}", params={"include_jobs": "true"})
    assert gone.status_code == 204
    for path in (f"/v1/documents/{bill['document']}", f"/v1/jobs/{bill['job']}"):
        assert caller.http.get(path).status_code == 410


def test_attachments_are_left_out_and_counted_on_request(caller: Caller) -> None:
    content = mail()
    form = {"model": "parse", "attachments": "false"}
    priced = caller.http.post("/v1/estimate", files={"file": ("mail.eml", content)}, data={"model": "parse"})
    assert (priced.json()["quantity"], priced.json()["attachments"]) == (1, 2)
    job = caller.http.post("/v1/jobs", files={"file": ("mail.eml", content)}, data=form).json()
    caller.ended(job["id"])
    shown = caller.get(f"/v1/documents/{job['document']}")
    assert (shown["attachments_total"], shown["attachments"]) == (2, [])
    wrong = caller.http.post("/v1/jobs", files={"file": ("mail.eml", content)}, data={**form, "attachments": "no"})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "invalid_request")
