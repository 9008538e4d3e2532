"""Test the client with the running product."""

import io
import json
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from maas_client import (
    AuthenticationError,
    Client,
    Conflict,
    InvalidRequest,
    JobFailed,
    NotFound,
    PermissionDenied,
    WaitTimedOut,
)
from maas_client.uploads import Source
from tests.flows.product import Account, Product
from tests.samples.pdfs import text_pdf

KEY_THAT_READS = """
from tenants.core.db.unit_of_work import operator_work
from tenants.api_keys.services import create_key
with operator_work():
    print(create_key(tenant_id="{tenant}", name="reads", scopes=["jobs:read"]).text)
"""


def test_a_document_is_read_in_one_call(client: Client, report: Path) -> None:
    result = client.run("parse", report)
    assert result.state == "succeeded"
    assert "apples" in result.text
    assert [page.number for page in result.pages] == [1, 2]
    assert "pears" in result.pages[1].lines[0].text
    assert result.cost.amount_micros > 0
    page = result.pages[0]
    assert page.quality is not None
    assert page.blocks[0].lines[0] == 0
    assert (page.rotation, page.angle, page.needs_review) == (0, 0.0, bool(page.warnings))
    assert page.page_class is not None
    assert abs(sum(page.page_class.probabilities.values()) - 1) < 0.02
    assert result.job.document_class is not None
    assert not result.job.document_class.corrected


@pytest.mark.parametrize("given", [{"text": "later"}, {"file": b"later"}])
def test_a_job_says_how_urgent_it_is_and_by_when_it_must_be_done(client: Client, given: Any) -> None:
    job = client.submit(
        "parse" if "file" in given else "embed", priority="bulk", expires_after=900, cancel_after=600, **given
    )
    assert (job.priority, job.expires_at is not None) == ("bulk", True)
    assert job.expires_at is not None is not job.cancel_at
    assert (job.expires_at - job.cancel_at).total_seconds() == 300
    assert client.job(job.id).priority == "bulk"
    assert client.run("embed", text="x").job.priority == "standard"


def test_progress_tells_of_every_byte(client: Client, report: Path) -> None:
    told: list[tuple[int, int]] = []
    client.upload(report, progress=lambda sent, total: told.append((sent, total)))
    size = report.stat().st_size
    assert told[-1] == (size, size)
    assert [sent for sent, _ in told] == sorted({sent for sent, _ in told})


@pytest.mark.parametrize("form", ["bytes", "path", "open file"])
def test_a_document_may_be_given_in_several_forms(client: Client, report: Path, form: str) -> None:
    data = report.read_bytes()
    sources: dict[str, Source] = {"bytes": data, "path": str(report), "open file": io.BytesIO(data)}
    assert client.upload(sources[form], name="report.pdf").size_bytes == len(data)


def test_texts_and_documents_are_worked_on_as_well(client: Client) -> None:
    single, several = client.run("embed", text="invoice"), client.run("embed", texts=["invoice", "letter"])
    vectors = several.pages[0].embeddings
    assert vectors is not None
    assert single.pages[0].embedding == pytest.approx(vectors[0], abs=1e-5)
    document = client.upload(b"plain words", name="a.txt")
    assert client.run("parse", document=document.id).text == "plain words"


def test_lists_are_read_on_to_their_end(client: Client, long_report: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maas_client.calls.LISTED", 2)
    made = [client.submit("embed", text=f"text {number}").id for number in range(5)]
    assert [job.id for job in islice(client.jobs(), 5)] == made[::-1]
    uploaded = client.upload(b"one of many", name="many.txt")
    assert uploaded.id in {document.id for document in client.documents()}
    long = client.submit("parse", long_report).id
    client.cancel(long)
    assert [page.number for page in islice(client.pages(long), 5)] == [1, 2, 3, 4, 5]


def test_pages_are_found_by_words_with_where_they_stand(
    client: Client,
) -> None:
    file = text_pdf("The first page has plums", "The second has quinces and medlars")
    jobs = [client.run("parse", file, name="fruit.pdf").id for _ in range(2)]
    hits = list(client.search("second quinces", page_size=1))
    assert [(hit.job, hit.page, hit.name, hit.score) for hit in hits] == [
        (job, 2, "fruit.pdf", None) for job in reversed(jobs)
    ]
    hit = hits[0]
    assert [hit.text[start:end] for start, end in hit.marks] == ["second", "quinces"]
    assert hit.boxes is not None
    assert len(hit.boxes[0]) == 4
    assert list(client.search("quinces", document_class="no-such", since=date(2020, 1, 1))) == []
    assert list(client.search("quinces", before=date(2020, 1, 1))) == []
    with pytest.raises(InvalidRequest, match="no word"):
        next(client.search("!"))


def test_models_say_what_they_take(client: Client) -> None:
    assert {model.name for model in client.models()} >= {"parse", "ocr", "embed"}
    assert client.model("embed").accepts == ("document", "text", "texts")


def test_a_result_is_downloaded_whole_or_not_at_all(client: Client, tmp_path: Path) -> None:
    job = client.run("parse", text="to be kept").job
    path = client.download(job.id, tmp_path / "result.json")
    assert json.loads(path.read_text())["text"] == "to be kept"
    assert client.download(job.id, tmp_path / "result.txt").read_text().strip() == "to be kept"
    assert client.html(job.id).startswith("<!doctype html>")
    assert [chunk["text"] for chunk in client.chunks(job.id)] == ["to be kept"]
    assert json.loads(client.download(job.id, tmp_path / "result.jsonl").read_text())["words"] == 3
    with pytest.raises(NotFound):
        client.download("no-such-job", tmp_path / "other.json")
    with pytest.raises(ValueError, match=r"'other\.doc'"):
        client.download(job.id, tmp_path / "other.doc")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["result.json", "result.jsonl", "result.txt"]


def test_waiting_tells_how_far_it_is_and_gives_what_came(client: Client, report: Path) -> None:
    told: list[str] = []
    result = client.wait(client.submit("parse", report).id, told=lambda job: told.append(job.state))
    assert result.state == told[-1] == "succeeded"


def test_waiting_may_end_before_the_job_which_goes_on(client: Client, long_report: bytes) -> None:
    with pytest.raises(WaitTimedOut) as timed_out:
        client.run("parse", long_report, wait=0)
    job = timed_out.value.job
    assert not job.ended
    assert client.cancel(job.id).state == "canceled"


def test_a_job_without_a_result_is_an_error_that_holds_it(client: Client, long_report: bytes) -> None:
    job = client.submit("parse", long_report, idempotency_key="to-be-canceled")
    client.cancel(job.id)
    with pytest.raises(JobFailed, match="was canceled") as failed:
        client.run("parse", long_report, idempotency_key="to-be-canceled")
    assert failed.value.job.id == job.id
    retried = client.retry(job.id)
    assert retried.retry_of == job.id
    client.cancel(retried.id)


def test_deleting_twice_is_deleting_once(client: Client) -> None:
    document = client.upload(b"soon gone", name="gone.txt")
    client.delete_document(document.id)
    client.delete_document(document.id)
    with pytest.raises(NotFound) as gone:
        client.document(document.id)
    assert (gone.value.status, gone.value.code) == (410, "document_deleted")


def test_refusals_have_a_class_a_code_and_the_requests_id(client: Client, product: Product, account: Account) -> None:
    done = client.run("parse", text="done").id
    with pytest.raises(Conflict) as refused:
        client.cancel(done)
    assert (refused.value.status, refused.value.code) == (409, "job_finished")
    assert len(refused.value.request_id) == 32
    with pytest.raises(InvalidRequest, match="no_such"):
        client.submit("parse", text="x", parameters={"no_such": 1})
    with pytest.raises(InvalidRequest) as junk:
        client.upload(b"\0\1\2\3 no document", name="junk.pdf")
    assert junk.value.status == 415
    client.submit("parse", text="one", idempotency_key="used-twice")
    with pytest.raises(InvalidRequest) as reused:
        client.submit("parse", text="another", idempotency_key="used-twice")
    assert reused.value.code == "idempotency_key_reused"
    unknown = "maas_live_000000000000_" + "0" * 38
    with Client(product.running.url, unknown) as stranger, pytest.raises(AuthenticationError):
        stranger.models()
    key = product.manage("shell", "-v0", "-c", KEY_THAT_READS.format(tenant=account.tenant_id)).stdout
    with Client(product.running.url, key) as reader, pytest.raises(PermissionDenied) as denied:
        reader.submit("parse", text="x")
    assert denied.value.code == "insufficient_scope"
