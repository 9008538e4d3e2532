"""Tests a ZIP of documents on the running product, from one request to a job's result for each."""

import io
import zipfile
from uuid import uuid4

from tests.samples.pdfs import text_pdf
from tests.waiting import eventually

from .caller import Caller, Json, assert_problem
from .product import Product


def zipped(*files: tuple[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return written.getvalue()


def ended(caller: Caller, archive: Json) -> Json:
    def look() -> Json | None:
        now = caller.get(archive["urls"]["self"])
        return now if now["state"] != "unpacking" else None

    return eventually(look, "the end of the archive", 90)


def test_every_entry_is_read_or_says_why_not(caller: Caller) -> None:
    content = zipped(
        ("a/one.pdf", text_pdf("one apple")),
        ("two.txt", b"two pears"),
        ("a/.DS_Store", b"x"),
        ("no.pdf", b"\0"),
    )
    files, form = {"file": ("scans.zip", content)}, {"model": "parse"}
    answer = caller.http.post("/v1/archives", files=files, data=form)
    assert (answer.status_code, answer.json()["entries_total"]) == (202, 4)
    archive = ended(caller, answer.json())
    counts = [archive[f"entries_{what}"] for what in ("done", "failed", "skipped", "waiting")]
    assert (archive["state"], counts) == ("done", [2, 1, 1, 0])
    one, two, system, bad = caller.get(archive["urls"]["entries"])["data"]
    assert (one["name"], caller.get(f"/v1/documents/{one['document']}")["name"]) == ("a/one.pdf", "one.pdf")
    assert [caller.ended(entry["job"])["state"] for entry in (one, two)] == ["succeeded"] * 2
    assert "two pears" in caller.get(f"/v1/jobs/{two['job']}/result")["text"]
    assert (system["skipped"], bad["error"]["code"]) == ("made_by_system", "unsupported_type")


def test_the_same_request_under_its_key_is_the_same_archive(caller: Caller, product: Product) -> None:
    files = {"file": ("scans.zip", zipped((f"{uuid4()}.txt", uuid4().bytes.hex().encode())))}
    key = {"Idempotency-Key": uuid4().hex}
    first, again = (
        caller.http.post("/v1/archives", files=files, data={"model": "parse"}, headers=key) for _ in range(2)
    )
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json()["id"] == first.json()["id"]
    assert again.headers["idempotent-replay"] == "true"
    assert caller.http.post("/v1/archives", files=files, headers=key).status_code == 422
    ended(caller, first.json())
    [entry] = caller.get(first.json()["urls"]["entries"])["data"]
    [[jobs]] = product.rows("SELECT count(*) FROM jobs_job WHERE document_id = %s", entry["document"])
    assert jobs == 1


def test_what_is_wrong_with_a_request_is_told_at_once(caller: Caller) -> None:
    def sent(content: bytes, **form: str) -> str:
        answer = caller.http.post("/v1/archives", files={"file": ("a.zip", content)}, data=form)
        return str(answer.json()["code"])

    good = zipped(("a.txt", b"x"))
    assert sent(good[:-10]) == "archive_corrupt"
    assert sent(b"%PDF-1.7") == "archive_corrupt"
    assert sent(good, model="no-such-model") == "model_not_found"
    assert sent(good, priority="bulk") == "invalid_request"
    assert sent(good, folder="x") == "invalid_request"
    assert_problem(caller.http.post("/v1/archives", json={}), 400, "invalid_request")


def test_deleted_it_is_forgotten_and_its_documents_stay(caller: Caller) -> None:
    files = {"file": ("scans.zip", zipped((f"{uuid4()}.txt", uuid4().bytes.hex().encode())))}
    archive = ended(caller, caller.http.post("/v1/archives", files=files).json())
    [entry] = caller.get(archive["urls"]["entries"])["data"]
    cancel = caller.http.post(archive["urls"]["cancel"])
    assert_problem(cancel, 409, "archive_finished")
    assert caller.http.delete(archive["urls"]["self"]).status_code == 204
    assert_problem(caller.http.get(archive["urls"]["self"]), 404, "not_found")
    assert caller.get(f"/v1/documents/{entry['document']}")["id"] == entry["document"]
