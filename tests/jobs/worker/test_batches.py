"""A worker's hands on batches: however long a file takes, leases are kept and places come free."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings as current
from django.core.files.storage import default_storage
from pytest_django import Settings

from jobs.batches.ids import BATCH, shown
from jobs.batches.models import Batch
from jobs.batches.services import cancel_batch
from jobs.worker.batches import AT_ONCE, BatchWorker
from maas.edge.refusals import worded
from tests.jobs.batches.conftest import alone, desk
from tests.jobs.batches.desk import BatchDesk
from tests.waiting import eventually

__all__ = ["alone", "desk"]


@pytest.fixture
def short_leases(settings: Settings) -> None:
    settings.MAAS_LEASE_S = 1


@pytest.fixture
def worker(desk: BatchDesk, short_leases: None) -> Iterator[BatchWorker]:
    worker = BatchWorker(current.MAAS_REDIS_URL, worker="hands", wording=worded)
    worker.start()
    yield worker
    worker.stop(10)


@pytest.fixture
def ends() -> Iterator[ExitStack]:
    """Before the worker's: it must not wait for files that never end."""
    with ExitStack() as ends:
        yield ends


def without_end(desk: BatchDesk, ends: ExitStack) -> Batch:
    """Whoever reads its file waits until the test is over."""
    given = desk.file(desk.lines(1))
    path = Path(default_storage.path(given.file))
    path.unlink()
    os.mkfifo(path)
    ends.callback(end, path)
    return desk.batch_of(given)


def end(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        path.unlink()  # nobody reads it any more


def renewals(desk: BatchDesk, batch: Batch) -> object:
    (task,) = desk.tasks(batch)
    return task.lease_until if task.state == "running" else None


def in_hand(desk: BatchDesk, batch: Batch) -> object:
    return eventually(lambda: renewals(desk, batch), "a worker with the file")


def test_leases_are_kept_while_files_that_were_given_up_still_hold_their_threads(
    worker: BatchWorker, desk: BatchDesk, ends: ExitStack
) -> None:
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
