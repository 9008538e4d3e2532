"""Test that a batch runs as many lines as a balance or a budget can pay, however many workers share the lines."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from django.conf import settings

from inference.rpc import LaneReader
from jobs.batches import states
from jobs.batches.models import Batch
from jobs.worker.batches import BatchWorker
from maas.web.guard.refusals import worded
from tests.inference.gateway.house import Embedder
from tests.jobs.batches.conftest import alone, desk
from tests.jobs.batches.desk import BatchDesk
from tests.jobs.worker.test_batches import ended
from tests.tenants.billing.ledger.conftest import Purse
from tests.waiting import eventually

__all__ = ["alone", "desk"]
PRICE, PAID, LINES = 1500, 37, 100
TIMEOUT_S = 30.0


@pytest.fixture
def purse(desk: BatchDesk) -> Purse:
    return Purse(desk.identity.tenant_id)


@pytest.fixture
def embedder(desk: BatchDesk) -> Iterator[Embedder]:
    embedder = Embedder()
    with ExitStack() as stack:
        reader = LaneReader(settings.MAAS_REDIS_URL, embedder.serve, slots=64)
        reader.set_lanes([desk.version.key])
        reader.start()
        stack.callback(reader.stop, 0.2)
        stack.callback(embedder.gate.set)
        assert reader.reading.wait(TIMEOUT_S)
        yield embedder


@pytest.fixture
def start(embedder: Embedder) -> Iterator[Callable[[], BatchWorker]]:
    started: list[BatchWorker] = []

    def start() -> BatchWorker:
        started.append(BatchWorker(settings.MAAS_REDIS_URL, worker="hands", wording=worded))
        started[-1].start()
        return started[-1]

    yield start
    embedder.gate.set()
    for worker in started:
        worker.stop(10)


def refusals(desk: BatchDesk, batch: Batch) -> set[tuple[int, str]]:
    lines = [line["response"] for line in desk.made(batch.error_file_id)]
    return {(line["status_code"], line["body"]["error"]["code"]) for line in lines}


@pytest.mark.parametrize("of", ["a balance", "a month's budget", "a key's budget"])
def test_of_two_batches_in_two_hands_exactly_those_lines_run_that_can_be_paid(
    desk: BatchDesk, purse: Purse, start: Callable[[], BatchWorker], of: str
) -> None:
    if of == "a balance":
        purse.prepaid(PAID * PRICE)
    else:
        purse.budget(PAID * PRICE, desk.identity.key_id if of == "a key's budget" else None)
    batches = [desk.batch(desk.lines(LINES)) for _ in range(2)]
    for _ in batches:
        start()
    over = [ended(desk, batch) for batch in batches]
    assert {one.status for one in over} == {states.COMPLETED}
    assert sum(one.lines_completed for one in over) == PAID
    assert sum(one.lines_failed for one in over) == 2 * LINES - PAID
    assert {said for one in over for said in refusals(desk, one)} == {(402, "insufficient_funds")}
    assert (purse.account("revenue"), purse.account("uncollected")) == (PAID * PRICE, 0)


def test_lines_that_are_run_again_by_another_worker_are_set_aside_once(
    desk: BatchDesk, purse: Purse, start: Callable[[], BatchWorker], embedder: Embedder
) -> None:
    purse.prepaid(PAID * PRICE)
    batch = desk.checked(LINES)
    embedder.gate.clear()
    first = start()
    eventually(lambda: embedder.runs, "a line under way")
    first.stop(10)
    embedder.gate.set()
    start()
    over = ended(desk, batch)
    assert (over.lines_completed, over.lines_failed) == (PAID, LINES - PAID)
    assert (purse.stands(), purse.account("uncollected")) == ((0, 0), 0)
