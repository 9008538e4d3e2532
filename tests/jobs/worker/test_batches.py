"""Test that a batch worker keeps its leases and frees its slots, however long a file takes."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings as current
from django.core.files.storage import default_storage
from django.utils import timezone
from pytest_django import Settings

from jobs.batches import states
from jobs.batches.checks import MAX_LINES
from jobs.batches.ids import BATCH, shown
from jobs.batches.models import Batch, BatchTask, StoredFile
from jobs.batches.services import cancel_batch
from jobs.batches.settlement import Done, finish_run, merge_when_done
from jobs.batches.tries import MAX_TRIES
from jobs.worker.batches import AT_ONCE, BatchWorker
from maas.storage.folder import DurableFileSystemStorage
from maas.web.guard.refusals import worded
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.batches.conftest import alone, desk
from tests.jobs.batches.desk import BatchDesk
from tests.jobs.batches.test_settlement import saved, uses
from tests.waiting import eventually

__all__ = ["alone", "desk"]


@pytest.fixture
def short_leases(settings: Settings) -> None:
    settings.MAAS_LEASE_S = 1


@pytest.fixture
def start(desk: BatchDesk, short_leases: None) -> Iterator[Callable[[], BatchWorker]]:
    started: list[BatchWorker] = []

    def start() -> BatchWorker:
        started.append(BatchWorker(current.MAAS_REDIS_URL, worker="hands", wording=worded))
        started[-1].start()
        return started[-1]

    yield start
    for worker in started:
        worker.stop(10)


@pytest.fixture
def ends(start: Callable[[], BatchWorker]) -> Iterator[ExitStack]:
    """Yield a stack that closes before the worker stops, because the worker must not wait for files that never end."""
    with ExitStack() as ends:
        yield ends


def without_end(desk: BatchDesk, ends: ExitStack) -> Batch:
    """Make a batch with a file that blocks its readers until the test is over."""
    given = desk.file(desk.lines(1))
    path = Path(default_storage.path(given.file))
    path.unlink()
    os.mkfifo(path)
    ends.callback(end, path)
    return desk.batch_of(given)


def end(path: Path) -> None:
    """End the file for its present readers and for those that would open it later, because no thread may outlive the
    tests.
    """
    writer = os.open(path, os.O_RDWR)
    path.unlink()
    os.close(writer)


def renewals(desk: BatchDesk, batch: Batch) -> object:
    (task,) = desk.tasks(batch)
    return task.lease_until if task.state == "running" else None


def in_hand(desk: BatchDesk, batch: Batch) -> object:
    return eventually(lambda: renewals(desk, batch), "a worker with the file")


def ended(desk: BatchDesk, batch: Batch) -> Batch:
    def look() -> Batch | None:
        found = desk.again(batch)
        return found if found.finished else None

    return eventually(look, "the end of the batch")


def with_its_last_try(desk: BatchDesk, batch: Batch) -> None:
    desk.sql(f"UPDATE jobs_batchtask SET attempt = {MAX_TRIES - 1} WHERE batch_id = %s", batch.id)


def codes(batch: Batch) -> list[str]:
    return [fault["code"] for fault in batch.errors or []]


def unmergeable(desk: BatchDesk) -> Batch:
    """Make a batch with lines that were not run and have no recorded reason."""
    batch = desk.checked(2 * MAX_LINES)
    claim = desk.claimed(batch)
    finish_run(claim, Done(completed=MAX_LINES, output=saved(claim, b'{"done": true}\n')))
    desk.sql("UPDATE jobs_batchtask SET state = 'dropped' WHERE batch_id = %s AND state = 'queued'", batch.id)
    with unit_of_work(desk.identity.tenant_id):
        merge_when_done(batch)
    return batch


def test_files_that_can_never_be_joined_are_kept_as_they_are(desk: BatchDesk, start: Callable[[], BatchWorker]) -> None:
    batch = unmergeable(desk)
    with_its_last_try(desk, batch)
    start()
    over = ended(desk, batch)
    assert (over.status, codes(over), over.output_file_id) == (states.FAILED, ["internal_error"], None)
    with unit_of_work(desk.identity.tenant_id):
        (kept,) = StoredFile.objects.filter(purpose=StoredFile.Purpose.BATCH_OUTPUT)
    assert kept.name == f"batch_{batch.id.hex}_output_1.jsonl"
    assert over.errors is not None
    assert kept.name in over.errors[0]["message"]
    assert desk.made(kept.id) == [{"done": True}]
    assert kept.size_bytes == len(b'{"done": true}\n')
    assert desk.tasks(batch) == []


def test_a_cancelled_batch_whose_files_can_never_be_joined_ends_as_cancelled(
    desk: BatchDesk, start: Callable[[], BatchWorker]
) -> None:
    batch = unmergeable(desk)
    desk.sql(f"UPDATE jobs_batch SET ending = '{states.CANCELLED}' WHERE id = %s", batch.id)
    desk.sql(f"UPDATE jobs_batchtask SET attempt = {MAX_TRIES} WHERE batch_id = %s", batch.id)
    start()
    over = ended(desk, batch)
    assert (over.status, codes(over), over.output_file_id) == (states.CANCELLED, ["worker_lost"], None)
    with unit_of_work(desk.identity.tenant_id):
        (kept,) = StoredFile.objects.filter(purpose=StoredFile.Purpose.BATCH_OUTPUT)
    assert desk.made(kept.id) == [{"done": True}]


def test_a_task_that_crashes_is_tried_again_later_and_not_for_ever(
    desk: BatchDesk, start: Callable[[], BatchWorker]
) -> None:
    batch = unmergeable(desk)
    start()

    def put_off() -> BatchTask | None:
        task = desk.tasks(batch)[-1]
        return task if task.state == states.QUEUED and task.attempt else None

    task = eventually(put_off, "the end of a first try")
    assert (task.kind, task.attempt) == (states.MERGE, 1)
    assert task.run_after > timezone.now()


@pytest.mark.parametrize("kind", [states.VALIDATE, states.RUN])
def test_what_every_worker_dies_with_ends_its_batch(
    desk: BatchDesk, start: Callable[[], BatchWorker], kind: str
) -> None:
    batch = desk.batch() if kind == states.VALIDATE else desk.checked()
    desk.sql(f"UPDATE jobs_batchtask SET attempt = {MAX_TRIES} WHERE batch_id = %s", batch.id)
    start()
    over = ended(desk, batch)
    assert (over.status, codes(over)) == (states.FAILED, ["worker_lost"])
    not_run = desk.made(over.error_file_id)
    assert [one["error"]["code"] for one in not_run] == ["batch_failed"] * over.lines_total


def test_a_full_disk_ends_a_batch_in_words_and_charges_nothing(
    desk: BatchDesk, start: Callable[[], BatchWorker], settings: Settings
) -> None:
    batch = desk.batch()
    with_its_last_try(desk, batch)
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": f"{__name__}.FullStorage"}}
    start()
    over = ended(desk, batch)
    assert (over.status, codes(over)) == (states.FAILED, ["storage_full"])
    assert uses(desk) == 0


class FullStorage(DurableFileSystemStorage):
    """A disk without space for another byte."""

    def __init__(self) -> None:
        super().__init__(location=current.MAAS_HOME / "files")

    def _save(self, name: str, content: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device", name)


def test_leases_are_kept_while_files_that_were_given_up_still_hold_their_threads(
    start: Callable[[], BatchWorker], desk: BatchDesk, ends: ExitStack
) -> None:
    start()
    for _ in range(AT_ONCE):
        batch = without_end(desk, ends)
        in_hand(desk, batch)
        cancel_batch(identity=desk.identity, batch_id=shown(BATCH, batch.id))
    last = without_end(desk, ends)
    seen = {in_hand(desk, last)}

    def renewed_again() -> bool:
        seen.add(renewals(desk, last))
        return len(seen) > 3

    eventually(renewed_again, "three renewals of the last file's lease", 20)
    assert None not in seen
