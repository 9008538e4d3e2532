"""Test children that misbehave, and the pool that outlives them."""

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from inference.sandbox import (
    Arena,
    ChildDied,
    ChildFailed,
    ChildLimits,
    ChildMisbehaved,
    ChildOutOfMemory,
    ChildTimedOut,
    Program,
    RequestLimits,
    SandboxPool,
    SandboxUnavailable,
)

from .asking import ANY_LIMITS, ask, assert_ended, assert_works, with_children
from .conftest import LIMITS, PROGRAM


def test_a_request_is_answered(pool: SandboxPool) -> None:
    assert ask(pool, "echo", say="grüße 🙂")["said"] == "grüße 🙂"


def test_a_child_reads_the_open_file_it_is_given(pool: SandboxPool, tmp_path: Path) -> None:
    secret = tmp_path / "document"
    secret.write_text("only by descriptor")
    secret.chmod(0o600)
    with secret.open() as opened:
        assert ask(pool, "read", (opened.fileno(),)) == "only by descriptor"


def test_large_results_come_back_through_the_arena(pool: SandboxPool) -> None:
    with Arena(1000) as arena:
        ask(pool, "fill", (arena.descriptor,), say="pixels", at=990)
        buffer = bytearray(6)
        arena.read_into(memoryview(buffer), 990)
    assert buffer == b"pixels"


def test_nothing_is_read_beyond_the_arena() -> None:
    with Arena(1000) as arena, pytest.raises(ChildMisbehaved):
        arena.read_into(memoryview(bytearray(6)), 995)


def test_an_endless_request_is_killed_at_its_wall_clock_limit(pool: SandboxPool) -> None:
    with pytest.raises(ChildTimedOut):
        ask(pool, "spin", limits=RequestLimits(wall_s=0.3, cpu_s=5))
    assert_works(pool)


def test_processor_time_is_limited_for_each_request(pool: SandboxPool) -> None:
    with pytest.raises(ChildDied) as raised:
        ask(pool, "spin", limits=RequestLimits(wall_s=20, cpu_s=1))
    assert raised.value.exit_status == -signal.SIGXCPU
    assert_works(pool)


def test_memory_can_be_limited_for_each_request(pool: SandboxPool) -> None:
    with pytest.raises(ChildOutOfMemory):
        ask(pool, "allocate", bytes=200 << 20, limits=replace(ANY_LIMITS, memory_bytes=128 << 20))
    assert ask(pool, "allocate", bytes=200 << 20) == 200 << 20


def test_a_request_that_needs_too_much_memory_is_told_apart(pool: SandboxPool) -> None:
    with pytest.raises(ChildOutOfMemory):
        ask(pool, "allocate", bytes=8 << 30)
    assert_works(pool)


@pytest.mark.parametrize(("action", "exit_status"), [("crash", -signal.SIGSEGV), ("leave", 3)])
def test_a_crash_or_an_exit_ends_the_child_alone(pool: SandboxPool, action: str, exit_status: int) -> None:
    with pytest.raises(ChildDied) as raised:
        ask(pool, action)
    assert raised.value.exit_status == exit_status
    assert_works(pool)


def test_an_unforeseen_error_is_named(pool: SandboxPool) -> None:
    with pytest.raises(ChildFailed, match="KeyError"):
        ask(pool, "fail")
    assert_works(pool)


def framed(payload: bytes) -> str:
    return (struct.pack("!I", len(payload)) + payload).hex()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("ffffffff", id="a message of 4 GiB"),
        pytest.param(framed(b"{"), id="half an object"),
        pytest.param(framed(b"\xff\xfe"), id="not UTF-8"),
        pytest.param(framed(b"[1]"), id="not an object"),
        pytest.param(framed(b"[" * 100_000), id="endless nesting"),
        pytest.param(framed(b'{"value": NaN}'), id="not a number"),
        pytest.param(framed(b'{"value": ' + b"9" * 5000 + b"}"), id="a number of 5000 digits"),
    ],
)
def test_an_answer_that_is_none_is_refused(pool: SandboxPool, answer: str) -> None:
    with pytest.raises(ChildMisbehaved):
        ask(pool, "raw", hex=answer)
    assert_works(pool)


def test_a_child_whose_answer_is_not_accepted_is_replaced(pool: SandboxPool) -> None:
    def refuse(value: object) -> None:
        raise ChildMisbehaved("nonsense")

    assert_works(pool)
    before = pool.pids()
    with pytest.raises(ChildMisbehaved):
        pool.ask({"do": "echo"}, accept=refuse, limits=ANY_LIMITS, wait_s=20)
    assert_works(pool)
    assert pool.pids() != before


def test_there_is_no_way_out(pool: SandboxPool, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s")
    secret.chmod(0o644)
    with Arena(10) as arena:
        answers = ask(pool, "escape", (arena.descriptor,), path=str(secret), parent=os.getpid())
    assert answers.pop("descriptors") == 1
    assert answers.pop("environment").keys() <= {"LC_CTYPE", "PWD", "GLIBC_TUNABLES"}
    assert [action for action, answer in answers.items() if answer == "done"] == []
    assert_works(pool)


def test_a_caller_waits_for_a_free_child_and_then_gives_up(pool: SandboxPool) -> None:
    def ask_until_refused() -> None:
        while True:
            pool.ask({"do": "echo"}, accept=lambda value: value, limits=ANY_LIMITS, wait_s=0.05)

    with ThreadPoolExecutor() as threads:
        busy = threads.submit(ask, pool, "spin", (), RequestLimits(wall_s=1, cpu_s=5))
        with pytest.raises(SandboxUnavailable, match="busy"):
            ask_until_refused()
        assert isinstance(busy.exception(), ChildTimedOut)
    assert_works(pool)


def test_many_threads_share_few_children() -> None:
    with closing(SandboxPool(PROGRAM, LIMITS, children=2)) as pool:
        with ThreadPoolExecutor(20) as threads:
            answers = list(threads.map(lambda number: ask(pool, "echo", say=number), range(20)))
        assert pool.wait_until_warm(20)
        assert len(pool.pids()) == 2
    assert [answer["said"] for answer in answers] == list(range(20))


def test_a_child_is_replaced_after_its_share_of_requests() -> None:
    with closing(SandboxPool(PROGRAM, LIMITS, children=1, requests_per_child=2, use_bubblewrap=False)) as pool:
        pids = [_only_pid_that_answers(pool) for _ in range(4)]
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_an_idle_child_that_was_killed_is_not_lent(pool: SandboxPool) -> None:
    assert pool.wait_until_warm(20)
    (pid,) = pool.pids()
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert_works(pool)


def test_closing_ends_every_child() -> None:
    pool = SandboxPool(PROGRAM, LIMITS, children=2)
    assert pool.wait_until_warm(20)
    processes = [each for pid in pool.pids() for each in with_children(pid)]
    pool.close()
    assert_ended(processes)
    with pytest.raises(SandboxUnavailable):
        ask(pool, "echo")


def test_children_die_with_a_parent_that_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    processes = [each for pid in json.loads(parent.stdout.readline()) for each in with_children(pid)]
    parent.kill()
    parent.wait()
    assert_ended(processes)


def test_a_program_that_cannot_start_is_told_to_the_caller(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import nowhere_to_be_found")
    program = Program(folder=tmp_path, module="broken")
    refused = pytest.raises(SandboxUnavailable, match="nowhere_to_be_found")
    with closing(SandboxPool(program, ChildLimits(), children=1)) as pool, refused:
        pool.ask({}, accept=lambda value: value, limits=ANY_LIMITS, wait_s=1)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a folder of another user")
@pytest.mark.parametrize("use_bubblewrap", [True, False])
def test_root_runs_programs_below_a_home_that_is_closed_to_others(tmp_path: Path, use_bubblewrap: bool) -> None:
    home = tmp_path / "home"
    shutil.copytree(PROGRAM.folder, home)
    os.chown(home, 12345, 12345)
    home.chmod(0o700)
    program = replace(PROGRAM, folder=home)
    with closing(SandboxPool(program, LIMITS, children=1, use_bubblewrap=use_bubblewrap)) as pool:
        assert_works(pool)
        assert pool.isolation is not None
        assert "nobody" in pool.isolation.layers


def test_what_is_in_force_is_known(pool: SandboxPool) -> None:
    assert pool.wait_until_warm(20)
    assert pool.isolation is not None
    assert "limits" in str(pool.isolation)


def _only_pid_that_answers(pool: SandboxPool) -> int:
    assert pool.wait_until_warm(20)
    (pid,) = pool.pids()
    assert_works(pool)
    return pid


_PARENT = f"""
import json, sys, time
sys.path[:0] = {sys.path!r}
import structlog
structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
from tests.inference.sandbox.conftest import LIMITS, PROGRAM
from inference.sandbox import RequestLimits, SandboxPool
from tests.inference.sandbox.asking import ANY_LIMITS
pool = SandboxPool(PROGRAM, LIMITS, children=2)
pool.wait_until_warm(20)
pool.ask({{"do": "echo"}}, accept=lambda value: value, limits=ANY_LIMITS, wait_s=5)
print(json.dumps(pool.pids()), flush=True)
pool.ask({{"do": "spin"}}, accept=print, limits=RequestLimits(60, 60), wait_s=5)
"""
