"""Test that documents that a model cannot read are refused when their job is submitted, whichever way it is
submitted.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from inference.runtime.parameters import EVERY_KIND, documents_of
from jobs.core.errors import DocumentNotAccepted
from jobs.core.models import Document
from jobs.queue.settlement import fail_page
from jobs.submission.document_kinds import require_readable
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.services import JobRequest, retry_job
from maas.web.errors.api_errors import status_of
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.conftest import Desk
from tests.jobs.submission.test_services import BROKEN
from tests.samples.uploads import arrived


@pytest.mark.parametrize(
    ("runtime", "config", "kinds"),
    [
        ("ocr", {}, ("pdf", "image")),
        ("embed", {}, ("pdf", "text")),
        ("parse", {}, EVERY_KIND),
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
