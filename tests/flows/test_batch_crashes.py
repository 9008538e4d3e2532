"""Tests that each request of a batch has one response and one charge, whatever happens to the worker."""

import os
import signal
from collections.abc import Iterator
from functools import partial
from typing import Any
from uuid import UUID

import openai
import psycopg
import pytest

from tests.fixtures import unique
from tests.jobs.batches.batching import begin, custom_ids, embedding, ended, jsonl, results
from tests.live_stack import LiveStack
from tests.waiting import eventually

from .product import Product

pytestmark = pytest.mark.xdist_group("crashes")
RUN_S = 240.0
SLICE = 200
"""The number of requests in a batch of a single slice."""
ALL = 600
"""The number of requests in two slices: one of a hundred, which is done, and one of five times as many, which is in
progress.
"""


@pytest.fixture(scope="module")
def product(victim: tuple[LiveStack, Product]) -> Product:
    return victim[1]


@pytest.fixture(scope="module")
def client(product: Product) -> Iterator[openai.OpenAI]:
    key = product.running.demo["MAAS_API_KEY"]
    with openai.OpenAI(base_url=f"{product.running.url}/v1", api_key=key) as client:
        yield client


def id_of(batch: Any) -> UUID:
    return UUID(hex=batch.id.removeprefix("batch_"))


def begun(client: openai.OpenAI, count: int = ALL) -> Any:
    new = unique("none of these is known")
    lines = (embedding(f"{number}", f"{new} {number} " + "some words " * 8) for number in range(count))
    return begin(client, jsonl(lines))


def tasks(product: Product, batch: Any, state: str) -> list[tuple[Any, ...]]:
    return product.rows(
        "SELECT id, number, attempt, worker FROM jobs_batchtask WHERE batch_id = %s AND state = %s AND kind = 'run'",
        id_of(batch),
        state,
    )


def change(product: Product, statement: str, *values: object) -> None:
    with psycopg.connect(product.service("MAAS_DATABASE_URL"), options="-c role=maas_operator") as connection:
        connection.execute(statement, values)


def assert_done_once(client: openai.OpenAI, product: Product, batch: Any, count: int = ALL) -> None:
    over = ended(client, batch, RUN_S)
    assert over.status == "completed", over
    assert over.request_counts is not None
    assert over.request_counts.model_dump() == {"total": count, "completed": count, "failed": 0}
    answers = results(client, over.output_file_id)
    assert custom_ids(answers) == [f"{number}" for number in range(count)]
    charged = product.rows(
        "SELECT source_id FROM tenants_usagerecord WHERE source_kind = 'batch_line' AND source_id = ANY(%s)",
        [UUID(hex=answer["id"].removeprefix("batch_req_")) for answer in answers],
    )
    assert len(charged) == count
    (sums,) = product.rows("SELECT batch.cost_micros, batch.tokens FROM jobs_batch batch WHERE id = %s", id_of(batch))
    assert sums[1] == sum(answer["response"]["body"]["usage"]["total_tokens"] for answer in answers)


def no_more_uses(product: Product, uses: int) -> bool:
    (row,) = product.rows("SELECT count(*) FROM tenants_usagerecord WHERE source_kind = 'batch_line'")
    return bool(row[0] == uses)


def test_a_worker_killed_in_the_middle_is_replaced_and_each_line_is_answered_and_charged_once(
    client: openai.OpenAI, product: Product
) -> None:
    batch = begun(client)
    eventually(lambda: tasks(product, batch, "done"), "a first slice", RUN_S)
    held = eventually(lambda: tasks(product, batch, "running"), "slices in hand")
    kill_holder(held)
    assert_done_once(client, product, batch)
    assert no_more_uses(product, ALL)


def kill_holder(held: list[tuple[Any, ...]]) -> None:
    os.kill(pid_in(held[0][3]), signal.SIGKILL)


def pid_in(worker: str) -> int:
    return int(worker.rpartition("-")[2])


@pytest.mark.long
def test_a_batch_past_its_window_ends_with_what_was_done_until_then(client: openai.OpenAI, product: Product) -> None:
    batch = begun(client, 1_500)
    eventually(lambda: tasks(product, batch, "done"), "a first slice", RUN_S)
    change(product, "UPDATE jobs_batch SET expires_at = now() WHERE id = %s", id_of(batch))
    over = ended(client, batch, RUN_S)
    assert over.status == "expired"
    assert over.expired_at
    done, rest = results(client, over.output_file_id), results(client, over.error_file_id)
    assert over.request_counts is not None
    assert 0 < len(done) == over.request_counts.completed
    assert len(done) + len(rest) == 1_500
    assert {one["error"]["code"] for one in rest} == {"batch_expired"}


@pytest.mark.long
def test_a_file_past_its_time_is_erased_but_not_while_a_batch_reads_it(client: openai.OpenAI, product: Product) -> None:
    batch = begun(client)
    file_id = UUID(hex=batch.input_file_id.removeprefix("file-"))
    change(product, "UPDATE jobs_storedfile SET expires_at = now() WHERE id = %s", file_id)
    assert_done_once(client, product, batch)

    def gone() -> bool:
        try:
            client.files.retrieve(batch.input_file_id)
        except openai.NotFoundError:
            return True
        return False

    eventually(gone, "the end of the file", RUN_S)


def _at_attempt(product: Product, batch: Any, attempt: int) -> list[tuple[Any, ...]]:
    """Return the running slice if it is at this attempt. The next worker takes it at the moment its lease has ended."""
    return [row for row in tasks(product, batch, "running") if row[2] == attempt]


def line_under_way(product: Product, batch: Any) -> list[tuple[Any, ...]]:
    """Return the running slice whose requests run one by one."""
    return product.rows(
        "SELECT at_line, worker FROM jobs_batchtask WHERE batch_id = %s AND state = 'running' AND at_line IS NOT NULL",
        id_of(batch),
    )


def test_a_line_that_kills_each_worker_fails_alone(client: openai.OpenAI, product: Product) -> None:
    batch = begun(client, SLICE)
    for attempt in (1, 2):
        look = partial(_at_attempt, product, batch, attempt)
        kill_holder(eventually(look, "the slice in a worker's hands", RUN_S))
    deadly = dies_with_a_line(product, batch)
    over = ended(client, batch, RUN_S)
    assert over.status == "completed"
    (failed,) = results(client, over.error_file_id)
    assert (failed["custom_id"], failed["error"]["code"]) == (f"{deadly - 1}", "worker_lost")
    assert len(results(client, over.output_file_id)) == SLICE - 1


def dies_with_a_line(product: Product, batch: Any) -> int:
    ((_, holder),) = eventually(lambda: line_under_way(product, batch), "a line that runs alone", RUN_S)
    os.kill(pid_in(holder), signal.SIGSTOP)
    ((line, _),) = line_under_way(product, batch)
    os.kill(pid_in(holder), signal.SIGKILL)
    return int(line)


def test_everything_of_a_batch_under_way_is_erased_with_its_end(product: Product) -> None:
    assert product.rows("SELECT id FROM jobs_batchtask") == []

    def gone() -> bool:
        # Files that a worker had saved when it was killed are kept for a quarter of an hour, in case their row is still
        # written.
        change(product, "UPDATE jobs_filetoerase SET due_at = now() WHERE due_at > now()")
        return not [path for path in product.files_under("files") if "batches" in path.parts]

    eventually(gone, "the end of all slices", RUN_S)
