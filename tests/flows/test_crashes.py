"""Tests that every page is committed and charged once, and the job ends, whatever is killed, stopped or wiped."""

import contextlib
import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import psutil  # type: ignore[import-untyped]
import psycopg
import pytest
import redis

from tests.live_stack import LiveStack
from tests.samples.pdfs import scanned_pdf
from tests.waiting import eventually

from .caller import Caller
from .conftest import FOUR, LEASE_S
from .product import Product

pytestmark = pytest.mark.xdist_group("crashes")
RUN_S = 120.0
"""Seconds for a worker to start again and do its work on a busy machine."""


@pytest.fixture(scope="module")
def stack(victim: tuple[LiveStack, Product]) -> LiveStack:
    return victim[0]


@pytest.fixture(scope="module")
def product(victim: tuple[LiveStack, Product]) -> Product:
    return victim[1]


@pytest.fixture(scope="module")
def caller(product: Product) -> Iterator[Caller]:
    with product.caller() as caller:
        yield caller


def start_job(caller: Caller, data: bytes) -> str:
    return str(caller.submit_file(data, model="ocr").json()["id"])


def assert_done_once(caller: Caller, product: Product, job_id: str) -> None:
    """Check the invariants that hold after any accident."""
    job = caller.ended(job_id, LEASE_S + 2 + RUN_S)
    assert (job["state"], job["pages_succeeded"], job["pages_failed"]) == ("succeeded", len(FOUR), 0)
    charged = product.usage_of(job_id)
    assert [number for number, _ in charged] == FOUR
    assert job["cost"]["amount_micros"] == sum(charge for _, charge in charged)
    events = caller.events(job_id)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert sorted(event["data"]["page"] for event in events if event["type"] == "page.succeeded") == FOUR
    assert [event["type"] for event in events if event["type"].startswith("job.")] == [
        "job.queued",
        "job.running",
        "job.succeeded",
    ]


def restarted(stack: LiveStack, name: str, pid: int) -> bool:
    return f"{name} (process {pid})" in stack.output and f"{name} is started again" in stack.output


def test_workers_killed_in_the_middle_of_a_document_and_while_they_load_lose_no_page_and_charge_none_twice(
    stack: LiveStack, caller: Caller, product: Product, four_pages: bytes
) -> None:
    worker = product.process("worker")
    job_id = start_job(caller, four_pages)
    eventually(lambda: caller.pages_in(job_id, "succeeded"), "a first page")
    worker.suspend()
    held = len(pages_held(product, job_id, worker.pid))
    worker.kill()
    worker.wait(RUN_S)
    assert held > 0
    # The successor is killed as soon as it exists, before it can load a model.
    successor = eventually(lambda: product.processes("worker"), "a successor", RUN_S)[0]
    successor.kill()
    assert_done_once(caller, product, job_id)
    types = [event["type"] for event in caller.events(job_id)]
    assert 0 < types.count("page.requeued") <= held, "only the first of them held any"
    assert types.count("page.running") == len(FOUR) + types.count("page.requeued")
    for pid in (worker.pid, successor.pid):
        stack.wait_until(partial(restarted, stack, "worker", pid), "word of the restart", RUN_S)


def test_a_page_that_kills_each_worker_takes_no_other_page_with_it(
    caller: Caller, product: Product, four_pages: bytes
) -> None:
    innocent = start_job(caller, four_pages)
    # It has so much text that its worker is found while it reads it.
    page = scanned_pdf("\n".join(["The deadly one has many lines of text to read"] * 34), dpi=200)
    deadly = str(caller.submit_file(page, model="ocr").json()["id"])

    def killed_or_ended() -> bool:
        if caller.pages_in(deadly, "running"):
            product.process("worker").kill()
            eventually(lambda: not caller.pages_in(deadly, "running"), "the end of its lease", RUN_S)
        return str(caller.job(deadly)["state"]) == "failed"

    eventually(killed_or_ended, "the end of the deadly page", 2 * RUN_S)
    assert caller.job(deadly)["error"]["code"] == "worker_lost"
    assert [event["type"] for event in caller.events(deadly)].count("page.running") == 3
    assert_done_once(caller, product, innocent)


def test_web_processes_and_their_parent_killed_while_callers_wait_lose_no_job(
    stack: LiveStack, caller: Caller, product: Product, four_pages: bytes
) -> None:
    job_id = start_job(caller, four_pages)
    with ThreadPoolExecutor(1) as threads, Caller(caller.url, caller.key) as waiting:
        wait = threads.submit(waiting.http.get, f"/v1/jobs/{job_id}", headers={"Prefer": "wait=60"})
        eventually(lambda: caller.pages_in(job_id, "running"), "a first page")
        # Otherwise the last page may end before the last process does, and the caller has an answer.
        worker = product.process("worker")
        worker.suspend()
        web = product.process("maas.web_processes")
        children = web.children()
        # A child that outlived its parent for a moment would answer its callers in order.
        for process in (*children, web):
            process.suspend()
        for process in (web, *children):
            process.kill()
        ended = wait.exception(RUN_S)
        worker.resume()
        assert ended is not None
    eventually(lambda: answers(caller), "an answer", RUN_S)
    assert_done_once(caller, product, job_id)
    stack.wait_until(lambda: restarted(stack, "web", web.pid), "word of the restart", RUN_S)


def test_a_database_that_is_killed_is_replaced_and_no_page_is_lost(
    stack: LiveStack, caller: Caller, product: Product, four_pages: bytes
) -> None:
    job_id = start_job(caller, four_pages)
    eventually(lambda: caller.pages_in(job_id, "succeeded"), "a first page")
    children = psutil.Process(stack.process.pid).children()
    (postgres,) = [child for child in children if "bin/postgres" in " ".join(child.cmdline())]
    postgres.kill()
    stack.wait_until(lambda: restarted(stack, "postgres", postgres.pid), "word of the restart", RUN_S)
    eventually(lambda: answers(caller), "an answer", RUN_S)
    assert_done_once(caller, product, job_id)


def answers(caller: Caller) -> bool:
    with contextlib.suppress(OSError, Exception):
        return caller.http.get("/readyz", timeout=2).status_code == 200
    return False


def test_a_worker_frozen_beyond_its_lease_is_fenced_when_it_wakes(
    caller: Caller, product: Product, second_worker: psutil.Process, four_pages: bytes
) -> None:
    frozen = second_worker
    with shared_by_all_workers(product):
        takes_pages(frozen, product)
        job_id = start_job(caller, four_pages)
        eventually(lambda: pages_held(product, job_id, frozen.pid), "pages in the second worker's hands")
        frozen.suspend()
        held = pages_held(product, job_id, frozen.pid)
        assert_done_once(caller, product, job_id)
        frozen.resume()
        # The worker drops the results of its lost pages, and can do new work.
        other = start_job(caller, four_pages)
        eventually(lambda: pages_held(product, other, frozen.pid), "new work for the second worker")
        assert_done_once(caller, product, other)
    assert_done_once(caller, product, job_id)
    assert held
    assert "outcome=lease_lost" in output_of(product)


def pages_held(product: Product, job_id: str, pid: int) -> list[int]:
    rows = product.rows(
        "SELECT number FROM jobs_page WHERE job_id = %s AND state = 'running' AND worker LIKE %s",
        job_id,
        f"%-{pid}",
    )
    return [number for (number,) in rows]


@contextmanager
def shared_by_all_workers(product: Product) -> Iterator[None]:
    """Let all workers serve the model. Otherwise it stays with the worker that has loaded it, as long as its pages do
    not wait.
    """

    made = "INSERT INTO inference_modelpool (name, strategy) VALUES ('shared', 'random') ON CONFLICT DO NOTHING"
    product.change(made)
    assigned = product.change(
        "UPDATE inference_servedmodel SET pool_id = (SELECT id FROM inference_modelpool WHERE name = 'shared')"
        " WHERE name = 'ocr'"
    )
    assert assigned == 1
    try:
        yield
    finally:
        product.change("UPDATE inference_servedmodel SET pool_id = NULL")


def takes_pages(worker: psutil.Process, product: Product) -> None:
    def takes_from(model: str) -> bool:
        with redis.Redis.from_url(product.service("MAAS_REDIS_URL")) as client:
            told = [json.loads(value) for key in client.scan_iter("maas:worker:*") if (value := client.get(key))]
        return any(f"{model}@1" in one["serving"] for one in told if one["pid"] == worker.pid)

    eventually(lambda: takes_from("ocr"), "the second worker at the model's queue", RUN_S)


@pytest.fixture(scope="module")
def second_worker(product: Product) -> Iterator[psutil.Process]:
    """Start a worker by hand beside the worker of `up`."""
    log = product.home.with_name("second-worker.log")
    with log.open("wb") as out:
        worker = product.command("worker", output=out)
        try:
            eventually(lambda: b"worker_ready" in log.read_bytes(), "a second worker", RUN_S)
            yield psutil.Process(worker.pid)
        finally:
            worker.send_signal(signal.SIGCONT)
            worker.terminate()
            worker.wait(RUN_S)


def output_of(product: Product) -> str:
    return product.home.with_name("second-worker.log").read_text()


def test_a_worker_frozen_in_the_middle_of_a_commit_holds_up_no_other_job(
    caller: Caller, product: Product, second_worker: psutil.Process, four_pages: bytes
) -> None:
    first = product.process("worker")
    stuck = freeze_inside_a_transaction(caller, product, first, second_worker, four_pages)
    try:
        other = start_job(caller, four_pages)
        eventually(lambda: caller.pages_in(other, "succeeded"), "a first page")
        first.kill()
        assert_done_once(caller, product, other)
        assert_done_once(caller, product, stuck)
    finally:
        second_worker.resume()
        second_worker.terminate()
        second_worker.wait(RUN_S)
    assert_done_once(caller, product, stuck)


def freeze_inside_a_transaction(
    caller: Caller, product: Product, first: psutil.Process, worker: psutil.Process, document: bytes
) -> str:
    """Suspend `worker` while it waits to write, then let PostgreSQL finish the write, so that its transaction stays
    open.
    """
    with psycopg.connect(product.service("MAAS_DATABASE_URL")) as connection:
        connection.execute("LOCK TABLE tenants_usagerecord IN SHARE MODE")
        first.suspend()
        job_id = start_job(caller, document)
        eventually(lambda: transactions_waiting(product), "a commit that waits")
        worker.suspend()
    first.resume()
    eventually(lambda: transactions_open(product), "a transaction left open")
    return job_id


def transactions_waiting(product: Product) -> bool:
    return bool(product.rows("SELECT FROM pg_locks WHERE NOT granted AND relation = 'tenants_usagerecord'::regclass"))


def transactions_open(product: Product) -> bool:
    # The query runs as the sessions' own user, because no other user may see their state.
    with psycopg.connect(product.service("MAAS_DATABASE_URL")) as connection:
        found = connection.execute("SELECT FROM pg_stat_activity WHERE state = 'idle in transaction'")
        return found.fetchone() is not None


def test_a_wiped_broker_delays_but_loses_nothing(caller: Caller, product: Product, four_pages: bytes) -> None:
    document = caller.upload(four_pages)["id"]
    jobs = [caller.submit("ocr", document=document)["id"] for _ in range(2)]
    eventually(lambda: caller.pages_in(jobs[0], "succeeded"), "a first page")
    redis.Redis.from_url(product.service("MAAS_REDIS_URL")).flushall()
    for job_id in jobs:
        assert_done_once(caller, product, job_id)
