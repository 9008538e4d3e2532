"""Tests of archives in a worker: what becomes of each entry, also if a worker dies."""

import hashlib
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import connections

from inference.registry.models import ModelVersion, ServedModel
from jobs.archives.claims import ArchiveClaim, claim_archive, end_entry
from jobs.archives.errors import ArchiveFinished, ArchiveRejected, TooManyArchives
from jobs.archives.selectors import get_archive
from jobs.archives.services import ArchiveRequest, accept_archive, cancel_archive, delete_archive
from jobs.archives.unpacking import Lease
from jobs.archives.upkeep import keep_up_archives
from jobs.core import archive_states as states
from jobs.core.models import Document, Job
from jobs.core.models.archives import Archive, ArchiveEntry
from jobs.documents.reading import reader
from jobs.documents.uploads import Upload
from jobs.retention.documents import delete_document, erase_document_and_jobs
from jobs.worker.archives import ArchiveWorker
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.core.errors import NotFound
from tenants.identity.identity import Identity
from tests.samples.pdfs import text_pdf

from .packing import packed, with_entry

Row = tuple[int, str, str]


@dataclass
class Bench:
    identity: Identity
    folder: Path
    model: str

    def accept(self, *files: tuple[str, bytes], model: str | None = "", content: bytes = b"") -> Archive:
        content = content or packed(files)
        path = self.folder / "sent.zip"
        path.write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        upload = Upload(path, digest, len(content), "scans.zip", "application/zip")
        request = ArchiveRequest(model=self.model if model == "" else model or "")
        return accept_archive(identity=self.identity, upload=upload, request=request)

    def claim(self, archive: Archive) -> ArchiveClaim:
        """Claim this archive, whatever else waits in this database."""
        for _ in range(50):
            found = claim_archive("test")
            if found is not None and found.archive_id == archive.id:
                return found
        raise AssertionError("the archive is not to be had")

    def turn(self, archive: Archive, goes_on: Callable[[], bool] = lambda: True) -> str:
        return Lease(self.claim(archive), reader, goes_on).take()

    def rows(self, archive: Archive) -> list[Row]:
        with unit_of_work(self.identity.tenant_id):
            entries = ArchiveEntry.objects.filter(archive=archive).order_by("number")
            return [(one.number, one.state, one.error_code) for one in entries]

    def entries(self, archive: Archive) -> list[ArchiveEntry]:
        with unit_of_work(self.identity.tenant_id):
            return list(ArchiveEntry.objects.filter(archive=archive).order_by("number"))

    def again(self, archive: Archive) -> Archive:
        with unit_of_work(self.identity.tenant_id):
            return get_archive(archive.id)

    def counts(self) -> tuple[int, int]:
        """Return the numbers of documents and jobs."""
        with unit_of_work(self.identity.tenant_id):
            return Document.objects.filter(deleted_at=None).count(), Job.objects.count()

    def sql(self, statement: str, archive: Archive) -> None:
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(statement, [archive.id])

    def expire_lease(self, archive: Archive) -> None:
        self.sql("UPDATE jobs_archive SET lease_until = now() - interval '1 second' WHERE id = %s", archive)


@pytest.fixture
def bench(identity: Identity, version: ModelVersion, tmp_path: Path) -> Bench:
    return Bench(identity, tmp_path, version.served_model.name)


def pages(*words: str) -> list[tuple[str, bytes]]:
    return [(f"{word}.pdf", text_pdf(word)) for word in words]


def test_each_entry_becomes_a_document_and_a_job_or_says_why_not(bench: Bench) -> None:
    [apples, pears] = pages("apples", "pears")
    archive = bench.accept(
        apples,
        ("folder/", b""),
        ("junk.pdf", b"\0\1\2"),
        ("deep/inner.zip", b"x"),
        pears,
        ("the same.pdf", apples[1]),
        ("renamed.pdf", packed([apples])),
    )
    assert bench.turn(archive) == "done"
    assert bench.rows(archive) == [
        (1, "done", ""),
        (2, "skipped", "folder"),
        (3, "failed", "unsupported_type"),
        (4, "failed", "nested_archive"),
        (5, "done", ""),
        (6, "done", ""),
        (7, "failed", "nested_archive"),
    ]
    first, *_, twin, _ = bench.entries(archive)
    assert first.document_id == twin.document_id
    assert first.job_id != twin.job_id
    assert bench.counts() == (2, 3)
    assert bench.again(archive).state == states.DONE
    assert not default_storage.exists(archive.file)


def test_without_a_model_the_entries_are_documents_alone(bench: Bench) -> None:
    archive = bench.accept(*pages("alone"), model=None)
    assert bench.turn(archive) == "done"
    assert bench.counts() == (1, 0)
    with unit_of_work(bench.identity.tenant_id):
        assert Document.objects.get().name == "alone.pdf"


def test_an_entry_that_does_not_fit_into_the_account_fails_alone(bench: Bench) -> None:
    small, large = (
        ("small.pdf", text_pdf("small")),
        ("large.txt", random.Random(5).randbytes(600_000).hex().encode()),
    )
    with operator_work():
        Tenant.objects.filter(id=bench.identity.tenant_id).update(storage_mb=1)
    archive = bench.accept(large, small)
    assert bench.turn(archive) == "done"
    assert bench.rows(archive) == [(1, "failed", "account_storage_full"), (2, "done", "")]
    assert bench.counts() == (1, 1)


def test_an_entrys_name_goes_with_the_document_and_the_results_that_it_became(bench: Bench) -> None:
    alone = bench.accept(*pages("alone"), model=None)
    read = bench.accept(*pages("read"))
    for archive in (alone, read):
        assert bench.turn(archive) == "done"
    [became], [was_read] = bench.entries(alone), bench.entries(read)
    delete_document(identity=bench.identity, document_id=became.document_id)
    erase_document_and_jobs(identity=bench.identity, document_id=was_read.document_id)
    for archive in (alone, read):
        [entry] = bench.entries(archive)
        assert (entry.name, entry.state) == ("", "done")


def test_an_entry_whose_archive_was_taken_over_makes_no_document(bench: Bench) -> None:
    archive = bench.accept(*pages("late"), model=None)
    late = bench.claim(archive)
    bench.expire_lease(archive)
    bench.claim(archive)
    assert Lease(late, reader, lambda: True).take() == "lease_lost"
    assert bench.counts() == (0, 0)
    assert bench.rows(archive) == [(1, "waiting", "")]


def test_a_name_is_shown_and_never_leads_anywhere(bench: Bench) -> None:
    archive = bench.accept(("../../../etc/passwd.pdf", text_pdf("x")), model=None)
    assert bench.turn(archive) == "done"
    with unit_of_work(bench.identity.tenant_id):
        document = Document.objects.get()
    assert document.name == "passwd.pdf"
    assert ".." not in document.file


def test_a_worker_that_dies_anywhere_leaves_nothing_to_be_made_twice(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Died(BaseException):
        pass

    archive = bench.accept(*pages("one", "two", "three"))
    calls: list[int] = []

    def dies_before_the_end(claim: ArchiveClaim, number: int, **more: Any) -> None:
        calls.append(number)
        if len(calls) in (1, 3):
            raise Died
        end_entry(claim, number, **more)

    monkeypatch.setattr("jobs.archives.unpacking.end_entry", dies_before_the_end)
    for _ in range(2):
        with pytest.raises(Died):
            bench.turn(archive)
        bench.expire_lease(archive)
    assert bench.turn(archive) == "done"
    assert bench.counts() == (3, 3)
    assert [state for _, state, _ in bench.rows(archive)] == ["done"] * 3


def test_a_worker_that_lost_its_lease_writes_nothing(bench: Bench) -> None:
    archive = bench.accept(*pages("one", "two"))
    slow = bench.claim(archive)
    bench.expire_lease(archive)
    assert bench.turn(archive) == "done"
    assert Lease(slow, reader, lambda: True).take() == "lease_lost"
    assert bench.counts() == (2, 2)


def test_an_entry_that_stops_its_workers_is_given_up_and_the_others_are_not(bench: Bench) -> None:
    archive = bench.accept(*pages("deadly", "harmless"), model=None)
    for _ in range(3):
        bench.claim(archive)
        bench.expire_lease(archive)
    assert bench.turn(archive) == "done"
    assert bench.rows(archive) == [(1, "failed", "worker_lost"), (2, "done", "")]


def test_an_entry_that_meets_a_limit_waits_and_is_not_lost(bench: Bench) -> None:
    archive = bench.accept(*pages("one", "two"))
    with operator_work():
        Tenant.objects.filter(id=bench.identity.tenant_id).update(unfinished_jobs=1)
    assert bench.turn(archive) == "postponed"
    resting = bench.again(archive)
    assert (resting.state, resting.waiting_code) == (states.UNPACKING, "too_many_unfinished_jobs")
    assert [state for _, state, _ in bench.rows(archive)] == ["done", "waiting"]
    with operator_work():
        Tenant.objects.filter(id=bench.identity.tenant_id).update(unfinished_jobs=None)
    bench.sql("UPDATE jobs_archive SET run_after = now() WHERE id = %s", archive)
    assert bench.turn(archive) == "done"
    assert bench.counts() == (2, 2)


def test_a_paused_model_is_waited_for(bench: Bench) -> None:
    archive = bench.accept(*pages("one"))
    with operator_work():
        ServedModel.objects.filter(name=bench.model).update(state=ServedModel.State.PAUSED)
    assert bench.turn(archive) == "postponed"
    assert bench.again(archive).waiting_code == "model_paused"


def test_a_turn_ends_early_when_the_process_stops_and_goes_on_elsewhere(bench: Bench) -> None:
    archive = bench.accept(*pages("one", "two"), model=None)
    asked: list[int] = []

    def once() -> bool:
        asked.append(1)
        return len(asked) <= 2

    assert bench.turn(archive, once) in ("time_slice_ended", "postponed")
    bench.sql("UPDATE jobs_archive SET run_after = now() WHERE id = %s", archive)
    assert bench.turn(archive) == "done"
    assert bench.counts() == (2, 0)


def test_a_canceled_archive_keeps_what_was_made_and_makes_no_more(bench: Bench) -> None:
    archive = bench.accept(*pages("one", "two"))
    claim = bench.claim(archive)
    canceled = cancel_archive(identity=bench.identity, archive_id=archive.id)
    assert canceled.state == states.CANCELED
    assert Lease(claim, reader, lambda: True).take() == "lease_lost"
    assert {state for _, state, _ in bench.rows(archive)} == {"canceled"}
    assert cancel_archive(identity=bench.identity, archive_id=archive.id).state == states.CANCELED
    assert not default_storage.exists(archive.file)


def test_an_ended_archive_cannot_be_canceled_and_a_deleted_one_is_not_there(bench: Bench) -> None:
    archive = bench.accept(*pages("one"), model=None)
    bench.turn(archive)
    with pytest.raises(ArchiveFinished):
        cancel_archive(identity=bench.identity, archive_id=archive.id)
    delete_archive(identity=bench.identity, archive_id=archive.id)
    with pytest.raises(NotFound):
        bench.again(archive)
    assert bench.rows(archive) == []
    assert bench.counts() == (1, 0)


def test_an_archive_without_anything_to_unpack_is_done_at_once(bench: Bench) -> None:
    archive = bench.accept(("empty/", b""), ("inner.zip", b"x"))
    assert archive.state == states.DONE


def test_an_entry_that_claims_the_largest_size_there_is_fails_alone(bench: Bench) -> None:
    archive = bench.accept(content=with_entry("a.txt", file_size=2**64 - 1))
    ((number, state, code),) = bench.rows(archive)
    assert (number, state, code) == (1, "failed", "document_too_large")


def test_an_archive_whose_file_is_gone_fails_with_each_entry(bench: Bench) -> None:
    archive = bench.accept(*pages("one"))
    default_storage.delete(archive.file)
    assert bench.turn(archive) == "failed"
    assert bench.again(archive).error_code == "file_missing"
    assert bench.rows(archive) == [(1, "failed", "file_missing")]


def test_what_is_refused_leaves_nothing(bench: Bench) -> None:
    with pytest.raises(ArchiveRejected):
        bench.accept(content=b"no archive")
    with unit_of_work(bench.identity.tenant_id):
        assert not Archive.objects.exists()


def test_one_tenant_has_only_so_many_under_way(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.archives.services.MAX_UNFINISHED", 1)
    bench.accept(*pages("one"))
    with pytest.raises(TooManyArchives):
        bench.accept(*pages("two"))


def test_after_some_days_an_archive_is_ended_and_then_forgotten(bench: Bench) -> None:
    late, old, young = (bench.accept(*pages(word), model=None) for word in ("late", "old", "young"))
    bench.turn(old)
    bench.sql("UPDATE jobs_archive SET created_at = now() - interval '8 days' WHERE id = %s", late)
    bench.sql("UPDATE jobs_archive SET finished_at = now() - interval '8 days' WHERE id = %s", old)
    keep_up_archives()
    assert bench.rows(late) == [(1, "failed", "archive_expired")]
    assert bench.rows(old) == []
    assert bench.rows(young) == [(1, "waiting", "")]


def test_of_two_tenants_the_one_with_nothing_under_way_is_served_first(bench: Bench, other_identity: Identity) -> None:
    many = [bench.accept(*pages(f"m{n}"), model=None) for n in range(3)]
    bench.claim(many[0])
    theirs = replace(bench, identity=other_identity).accept(*pages("theirs"), model=None)
    found = [claim.archive_id for claim in iter(lambda: claim_archive("test"), None)]
    assert found.index(theirs.id) < min(found.index(one.id) for one in many[1:])


def test_a_worker_unpacks_what_waits(bench: Bench) -> None:
    archive = bench.accept(*pages("one", "two"), model=None)
    worker = ArchiveWorker("test")
    ended = threading.Event()
    for _ in range(50):
        if not worker.work_once() or bench.again(archive).state == states.DONE:
            ended.set()
            break
    assert ended.is_set()
    assert bench.again(archive).state == states.DONE
