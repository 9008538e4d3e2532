"""Tests of several jobs in one ZIP archive."""

import gc
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import pytest
from django.db import connections

from inference.core.contracts import Units, WorkOutput
from jobs.core.errors import FileMissing
from jobs.core.models import Document, Job
from jobs.documents import files
from jobs.queue.settlement import finish_page
from jobs.results.exports import archive_files
from jobs.results.exports.archive import MAX_JOBS, Archive, archive_of, archived_jobs
from jobs.results.exports.archive_files import FORMATS, chosen_formats
from jobs.results.exports.export_slots import TooManyExports
from jobs.results.exports.services import BEING_BUILT
from jobs.retention.documents import delete_document
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.errors import InvalidRequest, NotFound, NotPermitted
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk

CONTENT = b"%PDF-1.7 " + uuid7().bytes * 20_000


def opened(desk: Desk, *job_ids: object, formats: str | None = None) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(b"".join(made(desk, *job_ids, formats=formats))))


def made(desk: Desk, *job_ids: object, formats: str | None = None) -> Iterator[bytes]:
    archive = archive_of(desk.identity, [str(one) for one in job_ids], formats)
    try:
        yield from archive
    finally:
        archive.close()


def test_each_job_has_a_folder_with_its_result_and_its_text(desk: Desk) -> None:
    first, second = desk.submit(pages=2), desk.submit(pages=2)
    for page, text in zip(desk.pages(first), ("one", "zwei ü"), strict=True):
        finish_page(desk.claimed(page), WorkOutput({"text": text}, Units(pages=1)))
    whole = opened(desk, first.id, second.id)
    assert whole.testzip() is None
    assert sorted(whole.namelist()) == [
        "a (2).pdf/result.json",
        "a (2).pdf/text.txt",
        "a.pdf/result.json",
        "a.pdf/text.txt",
    ]
    result = json.loads(whole.read("a.pdf/result.json"))
    assert (result["job"], result["text"]) == (str(first.id), "one\n\nzwei ü")
    assert "zwei ü" in whole.read("a.pdf/text.txt").decode()
    assert json.loads(whole.read("a (2).pdf/result.json"))["state"] == "queued"


def test_an_archive_is_sent_while_it_is_made(desk: Desk) -> None:
    blocks = made(desk, desk.submit().id, desk.submit().id)
    first = next(blocks)
    assert first.startswith(b"PK")
    assert b"result.json" in first
    assert b"text.txt" not in first
    blocks.close()  # type: ignore[attr-defined]  # a generator, as whoever hangs up closes it


def test_a_third_archive_of_a_tenant_waits_for_the_end_of_one(desk: Desk, other_identity: Identity) -> None:
    first, second = Archive(desk.identity.tenant_id, []), Archive(desk.identity.tenant_id, [])
    with pytest.raises(TooManyExports) as refusal:
        Archive(desk.identity.tenant_id, [])
    assert refusal.value.extra == {"gate": "exports", "retry_after_s": 10}
    Archive(other_identity.tenant_id, []).close()
    first.close()
    Archive(desk.identity.tenant_id, []).close()
    second.close()


def test_an_archive_that_nobody_reads_or_closes_gives_its_place_back(desk: Desk) -> None:
    for _ in range(3):
        Archive(desk.identity.tenant_id, [])
        gc.collect()


def test_what_a_reader_leaves_waiting_holds_no_transaction(desk: Desk) -> None:
    blocks = made(desk, desk.submit(pages=2).id, desk.submit().id)
    for _ in blocks:
        assert not connections[APP].in_atomic_block


@pytest.mark.parametrize("number", [0, MAX_JOBS + 1])
def test_too_few_or_too_many_are_refused_in_exact_words(desk: Desk, number: int) -> None:
    with pytest.raises(InvalidRequest, match=f"You requested {number} jobs. An archive can contain 1 to {MAX_JOBS}"):
        archived_jobs(desk.identity, [str(uuid7()) for _ in range(number)])


def test_another_tenants_job_is_like_one_that_never_was(desk: Desk, other_identity: Identity) -> None:
    foreign = Desk(other_identity, desk.version).submit()
    with pytest.raises(NotFound):
        archived_jobs(desk.identity, [str(desk.submit().id), str(foreign.id)])


def with_file(desk: Desk, name: str = "a.pdf", kind: str = "pdf") -> Job:
    document = desk.document(1)
    file = files.original_name(desk.identity.tenant_id, document.id, document.sha256)
    files.save_bytes(file, CONTENT)
    with unit_of_work(desk.identity.tenant_id):
        Document.objects.filter(id=document.id).update(name=name, file=file, kind=kind, size_bytes=len(CONTENT))
    return desk.submit_document(document)


def test_a_folder_has_the_chosen_formats_and_no_others(desk: Desk) -> None:
    job = with_file(desk)
    assert opened(desk, job.id, formats="markdown").namelist() == ["a.pdf/text.md"]
    assert opened(desk, job.id, formats="text,original").namelist() == ["a.pdf/text.txt", "a.pdf/a.pdf"]
    assert len(opened(desk, job.id, formats=",".join(FORMATS)).namelist()) == len(FORMATS)


def test_a_folder_without_a_searchable_pdf_says_why(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    inline, long, erased, other = desk.submit(), desk.submit(pages=201), with_file(desk), with_file(desk)
    delete_document(identity=desk.identity, document_id=erased.document_id)
    monkeypatch.setattr(archive_files, "PDF_TIMEOUT_S", 0.0)
    whole = opened(desk, inline.id, long.id, erased.id, formats="pdf,text")
    reasons = [whole.read(name).decode() for name in whole.namelist() if name.endswith("/no-searchable-pdf.txt")]
    assert len(whole.namelist()) == 6
    assert reasons[0].startswith("This input has no page images")
    assert "at most 200" in reasons[1]
    assert reasons[2].startswith(f"The document {erased.document_id} was erased on ")
    with BEING_BUILT.taken(desk.identity.tenant_id), BEING_BUILT.taken(desk.identity.tenant_id):
        busy = opened(desk, other.id, formats="pdf")
    assert "Try again when one is finished." in busy.read("a.pdf/no-searchable-pdf.txt").decode()


def test_an_original_comes_back_byte_for_byte_and_is_not_compressed_again(desk: Desk) -> None:
    whole = opened(desk, with_file(desk).id, formats="original")
    assert whole.testzip() is None
    assert whole.read("a.pdf/a.pdf") == CONTENT
    assert whole.getinfo("a.pdf/a.pdf").compress_type == zipfile.ZIP_STORED
    texts = opened(desk, with_file(desk, "b.txt", "text").id, formats="original")
    assert texts.getinfo("b.txt/b.txt").compress_type == zipfile.ZIP_DEFLATED


def test_an_original_is_sent_in_blocks(desk: Desk) -> None:
    assert max(len(block) for block in made(desk, with_file(desk).id, formats="original")) < len(CONTENT) // 2


@pytest.mark.parametrize("name", ["text.txt", "TEXT.TXT", "../../etc/passwd", "no-original.txt"])
def test_no_original_takes_the_place_of_another_file_or_leaves_its_folder(desk: Desk, name: str) -> None:
    whole = opened(desk, with_file(desk, name).id, formats=",".join(FORMATS))
    assert len({entry.casefold() for entry in whole.namelist()}) == len(FORMATS)
    assert all(entry.count("/") == 1 for entry in whole.namelist())
    assert CONTENT in [whole.read(entry) for entry in whole.namelist()]


def test_a_folder_without_an_original_says_why(desk: Desk) -> None:
    inline, erased = desk.submit(), with_file(desk)
    delete_document(identity=desk.identity, document_id=erased.document_id)
    whole = opened(desk, inline.id, erased.id, formats="original")
    reasons = [whole.read(name).decode() for name in whole.namelist()]
    assert [name.rpartition("/")[2] for name in whole.namelist()] == ["no-original.txt"] * 2
    assert reasons[0] == "This input was sent without a file.\n"
    assert reasons[1].startswith(f"The document {erased.document_id} was erased on ")


def test_a_document_that_is_erased_while_the_archive_is_sent_has_a_reason_in_its_place(desk: Desk) -> None:
    first, second = with_file(desk, "b.pdf"), with_file(desk)
    blocks = made(desk, first.id, second.id, formats="original")
    sent = next(blocks)
    delete_document(identity=desk.identity, document_id=second.document_id)
    whole = zipfile.ZipFile(io.BytesIO(sent + b"".join(blocks)))
    assert whole.namelist() == ["b.pdf/b.pdf", "a.pdf/no-original.txt"]


def test_an_archive_breaks_off_where_storage_has_lost_an_original(desk: Desk) -> None:
    job = with_file(desk)
    files.erase(files.original_name(desk.identity.tenant_id, *original_of(desk, job)))
    with pytest.raises(FileMissing):
        opened(desk, job.id, formats="original")


def original_of(desk: Desk, job: Job) -> tuple[UUID, str]:
    with unit_of_work(desk.identity.tenant_id):
        document = Document.objects.get(jobs=job)
    return document.id, document.sha256


@pytest.mark.parametrize("given", ["docx", "", "text,docx", "text;json"])
def test_an_unknown_format_is_refused_with_those_there_are(given: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        chosen_formats(given)
    unknown = given.rpartition(",")[2]
    assert refusal.value.detail == f"Unknown format {unknown!r}. Use {', '.join(FORMATS[:-1])} or xlsx."


def test_formats_are_text_and_json_unless_chosen() -> None:
    assert chosen_formats(None) == {"text", "json"}
    assert chosen_formats("original, markdown") == {"original", "markdown"}


def test_an_original_needs_the_scope_for_documents(desk: Desk) -> None:
    reader, job = replace(desk.identity, scopes=frozenset({"jobs:read"})), desk.submit()
    archive_of(reader, [str(job.id)], "text").close()
    with pytest.raises(NotPermitted):
        archive_of(reader, [str(job.id)], "text,original")
