"""What is kept of whom, and how much of it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone
from pytest_django import Settings

from jobs.batches import services
from jobs.batches.errors import TooManyBatches, TooManyFiles
from jobs.batches.ids import FILE, shown
from jobs.batches.models import Batch
from jobs.batches.services import BatchRequest, create_batch
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity
from tests.jobs.queue.test_claims import somebody_waits_for_a_lock
from tests.waiting import eventually

from .desk import EMBEDDINGS, BatchDesk


@pytest.mark.parametrize("wrong", [timedelta(hours=-5), timedelta(hours=5)])
def test_a_batch_has_its_whole_day_whatever_time_the_web_process_takes_it_to_be(
    desk: BatchDesk, monkeypatch: pytest.MonkeyPatch, wrong: timedelta
) -> None:
    right = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: right() + wrong)
    batch = desk.batch()
    assert abs(batch.expires_at - services.WINDOW - right()) < timedelta(minutes=2)
    assert abs(batch.created_at - right()) < timedelta(minutes=2)


def test_no_more_files_are_kept_than_an_account_may_have(desk: BatchDesk, settings: Settings) -> None:
    settings.MAAS_MAX_FILES = 2
    desk.file(b"a")
    desk.file(b"a")
    with pytest.raises(TooManyFiles, match="has 2 files, but at most 2"):
        desk.file(b"a")


def test_no_more_bytes_are_kept_than_an_account_may_have(desk: BatchDesk, settings: Settings) -> None:
    settings.MAAS_MAX_FILES_BYTES = 10
    desk.file(b"123456")
    desk.file(b"1234")
    with pytest.raises(TooManyFiles, match="have 10 bytes"):
        desk.file(b"1")


def test_an_account_has_so_many_unfinished_batches_and_no_more(
    desk: BatchDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_UNFINISHED", 2)
    desk.batch()
    desk.batch()
    with pytest.raises(TooManyBatches):
        desk.batch()


def test_two_at_once_are_not_both_the_last_batch_that_an_account_may_have(
    desk: BatchDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_UNFINISHED", 1)
    first, second = desk.file(desk.lines(1)), desk.file(desk.lines(1))

    def late() -> Batch:
        try:
            return desk.batch_of(second)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        with unit_of_work(desk.identity.tenant_id):
            desk.batch_of(first)
            made = threads.submit(late)
            eventually(lambda: made.done() or somebody_waits_for_a_lock(), "the other at the door")
        with pytest.raises(TooManyBatches):
            made.result()


def test_a_batch_is_made_of_ones_own_file_alone(desk: BatchDesk, other_identity: Identity) -> None:
    given = desk.file(desk.lines(1))
    request = BatchRequest(input_file_id=shown(FILE, given.id), endpoint=EMBEDDINGS)
    with pytest.raises(NotFound):
        create_batch(identity=other_identity, request=request)


@pytest.mark.parametrize(
    "endpoint", ["", "/v1/responses", "/v1/embeddings/", "/v2/models/infer", "/v2/models/a/b/infer"]
)
def test_what_batches_are_not_run_for_is_refused(desk: BatchDesk, endpoint: str) -> None:
    with pytest.raises(InvalidRequest):
        desk.batch(endpoint=endpoint)
