"""Tests that `make up` starts everything, stops in time, survives a crash, and goes on where it was.

There are three starts in one folder, and each is described by what was found: the first starts from nothing, one
changes nothing, and one comes after a kill.
"""

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from maas.local.supervisor.processes import wait_until_gone
from tests.flows.caller import Caller
from tests.flows.event_socket import EventSocket
from tests.flows.product import Product
from tests.flows.test_slow_senders import PART, chunked_form
from tests.live_stack import LiveStack
from tests.samples.pdfs import scanned_pdf
from tests.waiting import eventually

BUSY_STOP_S = 15.0
"""The seconds for a stop. It takes seven on a machine of its own, but the other tests run beside this one."""
STOP_S = 10.0
PAGES = [1, 2, 3, 4]
SEEDING = "seed      | models: "

pytestmark = pytest.mark.xdist_group("up")


@dataclass(frozen=True)
class First:
    """A start from nothing, interrupted in the middle of work."""

    stack: LiveStack
    key: str
    url_told: str
    finished: dict[str, Any]
    job_id: str
    exit_status: int
    processes: int
    left_over: list[psutil.Process]


@dataclass(frozen=True)
class Second:
    """A start on the port of the first, because demo.env has it, killed once it has gone on with the work."""

    output: str
    key: str
    result: Any
    job: dict[str, Any]
    usage: list[tuple[int, int]]
    attempts: set[int]
    survivors: list[psutil.Process]


@contextmanager
def busy_callers(caller: Caller) -> Iterator[None]:
    """Hold two connections: one listens, and one has stopped sending."""
    with ExitStack() as connections:
        socket = connections.enter_context(EventSocket.with_key(caller.url, caller.key))
        upload = connections.enter_context(chunked_form(caller, caller.key))
        assert socket.receive()["type"] == "ready"
        upload.send_chunk(PART)
        yield


def descendants(stack: LiveStack) -> list[psutil.Process]:
    return list(psutil.Process(stack.process.pid).children(recursive=True))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> First:
    home = tmp_path_factory.mktemp("up") / "var"
    scan = scanned_pdf(*(f"Page number {number} of four" for number in PAGES), dpi=400)
    with LiveStack(home, from_nothing=True) as stack:
        product = Product(stack.wait_until_ready())
        with product.caller() as caller:
            finished = caller.submit_file(b"A short text that is done before", wait_s=60).json()
            job_id = caller.submit_file(scan, model="ocr").json()["id"]
            eventually(lambda: caller.pages_in(job_id, "succeeded"), "a first page")
            before = descendants(stack)
            with busy_callers(caller):
                stack.process.send_signal(signal.SIGINT)
                status = stack.process.wait(BUSY_STOP_S)
            left_over = [one for one in before if one.is_running()] + product.processes()
        url = product.running.demo["MAAS_URL"]
        return First(stack, caller.key, url, finished, job_id, status, len(before), left_over)


@pytest.fixture(scope="module")
def second(first: First) -> Second:
    stack = LiveStack(first.stack.home, log="again.log")
    stack.port, stack.url = first.stack.port, first.stack.url
    with stack:
        product = Product(stack.wait_until_ready())
        with product.caller() as caller:
            result = caller.get(f"/v1/jobs/{first.finished['id']}/result")
            job = caller.ended(first.job_id)
            attempts = {page["attempts"] for page in caller.pages(first.job_id)}
        usage, before = product.usage_of(first.job_id), descendants(stack)
        stack.process.kill()
        stack.process.wait()
        survivors = [one for one in before if not wait_until_gone(one.pid, STOP_S)]
        return Second(stack.output, caller.key, result, job, usage, attempts, survivors)


def test_ctrl_c_in_the_middle_of_work_stops_everything_in_time(first: First) -> None:
    assert first.url_told == first.stack.url
    assert SEEDING in first.stack.output
    assert first.exit_status == 0
    assert first.processes > 6
    assert first.left_over == []
    assert "unexpected postmaster exit" not in first.stack.output, "the database was not shut down in order"


def test_the_next_start_goes_on(first: First, second: Second) -> None:
    assert second.key == first.key
    assert second.result == first.finished["result"]
    assert second.job["state"] == "succeeded"
    assert [number for number, _ in second.usage] == PAGES
    assert second.attempts == {1}


def test_start_that_would_change_nothing_prepares_nothing(second: Second) -> None:
    assert SEEDING not in second.output


def test_a_killed_start_takes_everything_with_it(second: Second) -> None:
    assert second.survivors == []


@pytest.mark.usefixtures("second")
def test_start_after_a_kill_has_all_data_names_itself_to_a_rival_and_stops_while_a_caller_holds_a_connection(
    first: First,
) -> None:
    home = first.stack.home
    with LiveStack(home, log="third.log") as stack:
        stack.wait_until(lambda: "preparing the database" in stack.output, "the first step", 60)
        with LiveStack(home, log="rival.log") as rival:
            assert rival.process.wait(30) == 1
        assert f"process {stack.process.pid} is already running on {home}" in rival.output
        product = Product(stack.wait_until_ready())
        with product.caller() as caller:
            assert caller.key == first.key
            assert caller.job(first.job_id)["state"] == "succeeded"
        everything = descendants(stack)
        with socket.create_connection(("127.0.0.1", stack.port)) as held:
            held.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert b"200" in held.recv(4096)
            started = time.monotonic()
            # The signal comes twice, as when a process group is asked to stop and make passes the same signal on.
            stack.process.send_signal(signal.SIGTERM)
            stack.wait_until(lambda: "stopping" in stack.output, "the stop", STOP_S)
            stack.process.send_signal(signal.SIGTERM)
            assert stack.process.wait(STOP_S) == 0
        assert "unexpected postmaster exit" not in stack.output, "the database was not shut down in order"
    assert time.monotonic() - started < STOP_S
    assert len(everything) > 6
    assert all(wait_until_gone(one.pid, 0) for one in everything)
    assert not (home / "run" / "services.json").exists()


def test_taken_port_is_named_with_its_holder(tmp_path: Path) -> None:
    home = tmp_path / "var"
    home.mkdir(mode=0o700)
    stack = LiveStack(home)
    with socket.create_server(("127.0.0.1", stack.port)), stack:
        assert stack.process.wait(30) == 1
    assert f"MAAS_PORT={stack.port}" in stack.output
    assert f"held by process {os.getpid()}" in stack.output
