"""Tests of submissions, and of the refusal of documents that a model cannot read."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from inference.core.contracts import WorkRefused
from inference.pipelines.ocr import OCR
from inference.pipelines.parse import PARSE
from inference.registry.errors import ModelNotFound, ModelPaused
from inference.registry.selectors import remembering_versions
from inference.registry.services import set_paused
from inference.runtime.parameters import EVERY_KIND, documents_of
from jobs.core import states
from jobs.core.errors import (
    DocumentDeleted,
    DocumentNotAccepted,
)
from jobs.core.models import Document
from jobs.queue.settlement import Failure, fail_page
from jobs.retention.documents import delete_document
from jobs.submission.cancellations import cancel_job
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest, require_readable, submit_job
from maas.web.errors.api_errors import status_of
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk
from tests.samples.uploads import arrived

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
    request = JobRequest(model=desk.version.served_model.name, input={"text": "hello"}, cache_control="no-store")
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


def test_nothing_of_another_tenants_job_can_be_done(desk: Desk, other_identity: Identity) -> None:
    job = desk.submit()
    for action in (cancel_job, retry_job):
        with pytest.raises(NotFound):
            action(identity=other_identity, job_id=job.id)
    assert desk.again(job).state == states.QUEUED


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
                threading.Thread(target=attempt, args=[lambda: submit_job(identity=desk.identity, request=request)]),
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


@pytest.mark.parametrize(
    ("runtime", "config", "kinds"),
    [
        ("ocr", {}, ("pdf", "image")),
        ("embed", {}, tuple(kind for kind in EVERY_KIND if kind != "image")),
        ("orient", {}, ("pdf", "image")),
        ("graph", {"graph": PARSE}, EVERY_KIND),
        ("graph", {"graph": OCR}, ("pdf", "image")),
        ("onnx", {}, ()),
        ("graph", {"graph": {"accepts": ["document"]}}, EVERY_KIND),
        ("graph", {"graph": {"accepts": ["document"], "documents": ["image"]}}, ("image",)),
        ("graph", {"graph": {"accepts": ["text"]}}, ()),
        ("of-a-newer-product", {}, EVERY_KIND),
    ],
)
def test_kinds_are_declared(runtime: str, config: dict[str, object], kinds: tuple[str, ...]) -> None:
    assert documents_of(runtime, config) == kinds


def plain_text(desk: Desk) -> Document:
    document = desk.document(1, name="notes.txt")
    with unit_of_work(desk.identity):
        Document.objects.filter(id=document.id).update(kind="text")
    return document


@pytest.fixture
def ocr(make_desk: Callable[..., Desk]) -> Desk:
    return make_desk(runtime="ocr")


def test_a_refusal_says_what_the_model_reads_what_this_is_and_what_to_use(ocr: Desk, desk: Desk) -> None:
    with pytest.raises(DocumentNotAccepted) as refused:
        ocr.submit_document(plain_text(ocr))
    name, other = ocr.version.served_model.name, desk.version.served_model.name
    sentence = f"The model {name!r} reads PDF files and images, but this document is plain text. Use "
    assert refused.value.detail.startswith(sentence)
    assert status_of(refused.value.code) == 422
    only_other = replace(ocr.identity, models=(other,))
    with pytest.raises(DocumentNotAccepted, match=f"Use {other}"):
        require_readable(only_other, ocr.version, "text")
    with pytest.raises(DocumentNotAccepted, match="No available model reads this kind of document"):
        require_readable(replace(ocr.identity, models=(name,)), ocr.version, "text")


def test_a_file_that_comes_with_its_job_is_refused_and_not_kept(ocr: Desk, tmp_path: Path) -> None:
    request = JobRequest(model=ocr.version.served_model.name)
    upload = arrived(b"a few words of plain text", tmp_path / "notes.txt")
    with pytest.raises(DocumentNotAccepted):
        submit_once(identity=ocr.identity, request=request, key=None, upload=upload)
    with unit_of_work(ocr.identity):
        assert not Document.objects.exists()


def test_a_job_on_such_a_document_from_before_is_not_retried(ocr: Desk) -> None:
    document = ocr.document(1)
    job = ocr.submit_document(document)
    fail_page(ocr.claimed(ocr.pages(job)[0]), BROKEN, may_retry=False)
    with unit_of_work(ocr.identity):
        Document.objects.filter(id=document.id).update(kind="text")
    with pytest.raises(DocumentNotAccepted):
        retry_job(identity=ocr.identity, job_id=job.id)
