"""`manage.py up`: starts everything, survives a crash, stops in time, and keeps data."""

import os
import signal
import socket
import time
from collections.abc import Iterator
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


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveStack]:
    """A running product whose processes may be killed."""
    with LiveStack(tmp_path_factory.mktemp("victim") / "var") as stack:
        stack.wait_until_ready()
        yield stack


def descendants(pid: int) -> list[int]:
    found = [stat.pid for stat in children_of(pid)]
    return found + [deeper for child in found for deeper in descendants(child)]


def pid_of_child(stack: LiveStack, words: str) -> int:
    for stat in children_of(stack.process.pid):
        if words.encode() in Path(f"/proc/{stat.pid}/cmdline").read_bytes().replace(b"\0", b" "):
            return stat.pid
    raise AssertionError(f"no child runs {words}:\n{stack.output}")


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


def test_killed_supervisor_takes_everything_with_it_and_the_next_start_keeps_data(home: Path) -> None:
    with LiveStack(home) as stack:
        first = stack.wait_until_ready().demo
        everything = descendants(stack.process.pid)
        stack.process.kill()
        stack.process.wait()
        assert all(wait_until_gone(pid, STOP_LIMIT_S) for pid in everything)
    with LiveStack(home) as stack:
        assert stack.wait_until_ready().demo["MAAS_API_KEY"] == first["MAAS_API_KEY"]


@pytest.mark.parametrize(
    ("name", "words"), [("worker", "manage.py worker"), ("web", "granian"), ("postgres", "bin/postgres")]
)
def test_crashed_process_is_replaced_and_said(victim: LiveStack, name: str, words: str) -> None:
    killed = pid_of_child(victim, words)
    os.kill(killed, signal.SIGKILL)
    victim.wait_until(lambda: f"{name} is started again" in victim.output, "a second start", 30)
    assert f"{name} (process {killed}) was ended by SIGKILL" in victim.output
    assert pid_of_child(victim, words) != killed


def test_second_start_on_the_same_folder_names_the_first(home: Path) -> None:
    with LiveStack(home) as first:
        first.wait_until(lambda: "preparing the database" in first.output, "the first step", 60)
        with LiveStack(home, log="second.log") as second:
            assert second.process.wait(30) == 1
        assert f"process {first.process.pid} is already running on {home}" in second.output


def test_taken_port_is_named_with_its_holder(home: Path) -> None:
    stack = LiveStack(home)
    with socket.create_server(("127.0.0.1", stack.port)), stack:
        assert stack.process.wait(30) == 1
    assert f"MAAS_PORT={stack.port}" in stack.output
    assert f"held by process {os.getpid()}" in stack.output
