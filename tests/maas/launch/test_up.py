"""`make up`: starts everything, survives a crash, stops in time, and keeps data."""

import os
import signal
import socket
import time
from pathlib import Path

import pytest

from maas.supervisor.processes import children_of, wait_until_gone
from tests.live_stack import LiveStack

STOP_LIMIT_S = 10.0

pytestmark = pytest.mark.xdist_group("up")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One state folder for all tests of this file, as a second start must find what the first one made."""
    return tmp_path_factory.mktemp("up") / "var"


def descendants(pid: int) -> list[int]:
    found = [stat.pid for stat in children_of(pid)]
    return found + [deeper for child in found for deeper in descendants(child)]


def test_stop_is_complete_and_in_time_while_a_caller_holds_a_connection(home: Path) -> None:
    with LiveStack(home, from_nothing=True) as stack:
        running = stack.wait_until_ready()
        assert running.demo["MAAS_URL"] == stack.url
        everything = descendants(stack.process.pid)
        with socket.create_connection(("127.0.0.1", stack.port)) as caller:
            caller.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert b"200" in caller.recv(4096)
            started = time.monotonic()
            # As when a process group is told to stop and make passes the same on.
            stack.process.send_signal(signal.SIGTERM)
            stack.wait_until(lambda: "stopping" in stack.output, "the stop", STOP_LIMIT_S)
            stack.process.send_signal(signal.SIGTERM)
            assert stack.process.wait(STOP_LIMIT_S) == 0
        assert "unexpected postmaster exit" not in stack.output, "the database was not shut down in order"
    assert time.monotonic() - started < STOP_LIMIT_S
    assert len(everything) > 6
    assert all(wait_until_gone(pid, 0) for pid in everything)
    assert not (home / "run" / "services.json").exists()


def test_second_start_names_the_first_and_a_killed_one_takes_everything_with_it_but_the_data(
    home: Path,
) -> None:
    with LiveStack(home) as first:
        first.wait_until(lambda: "preparing the database" in first.output, "the first step", 60)
        with LiveStack(home, log="second.log") as second:
            assert second.process.wait(30) == 1
        assert f"process {first.process.pid} is already running on {home}" in second.output
        demo = first.wait_until_ready().demo
        everything = descendants(first.process.pid)
        first.process.kill()
        first.process.wait()
        assert all(wait_until_gone(pid, STOP_LIMIT_S) for pid in everything)
    with LiveStack(home) as stack:
        assert stack.wait_until_ready().demo["MAAS_API_KEY"] == demo["MAAS_API_KEY"]


def test_taken_port_is_named_with_its_holder(home: Path) -> None:
    stack = LiveStack(home)
    with socket.create_server(("127.0.0.1", stack.port)), stack:
        assert stack.process.wait(30) == 1
    assert f"MAAS_PORT={stack.port}" in stack.output
    assert f"held by process {os.getpid()}" in stack.output


def test_start_that_would_change_nothing_prepares_nothing(home: Path) -> None:
    """On the port of before: another one is another address for demo.env."""
    before = LiveStack(home)
    again = LiveStack(home, log="again.log")
    again.port, again.url = before.port, before.url
    for stack in (before, again):
        with stack:
            stack.wait_until_ready()
    seeding = "seed      | models: "
    assert seeding in before.output
    assert seeding not in again.output
