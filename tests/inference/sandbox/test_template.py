"""Test that each request has its own fork, which ends together with everything that the request did."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from inference.core.calls import Call
from inference.sandbox import (
    ChildFailed,
    ChildLimits,
    ChildTimedOut,
    Program,
    RequestLimits,
    SandboxPool,
    SandboxUnavailable,
)
from tests.waiting import eventually

from .asking import ANY_LIMITS, ask, assert_ended, assert_works, tree

HASTY = RequestLimits(wall_s=0.3, cpu_s=5)
PATIENT = RequestLimits(wall_s=60, cpu_s=60)


def test_what_a_request_leaves_is_not_there_for_the_next(pool: SandboxPool, tmp_path: Path) -> None:
    document = tmp_path / "document"
    document.write_text("what another tenant wrote")
    with document.open() as opened:
        assert ask(pool, "plant", (opened.fileno(),)) == "planted"
        assert ask(pool, "find planted", (opened.fileno(),)) == {"memory": [], "descriptors": [], "files": []}
        assert ask(pool, "echo", say="as ever")["said"] == "as ever"


def test_a_request_holds_no_socket_but_the_one_it_came_over(pool: SandboxPool) -> None:
    assert len(ask(pool, "sockets")) == 1


def test_a_request_cannot_reach_its_template(pool: SandboxPool) -> None:
    assert pool.wait_until_warm(20)
    for template in tree(pool):
        answers = ask(pool, "reach", process=template.pid)
        assert [action for action, answer in answers.items() if answer == "done"] == []
    assert_works(pool)


def test_fifty_requests_leave_no_process(pool: SandboxPool) -> None:
    before = tree(pool)
    for _ in range(50):
        assert_works(pool)
        assert tree(pool) == before


@pytest.mark.parametrize(
    ("action", "error"),
    [
        ("spin", ChildTimedOut),
        ("hang up", ChildTimedOut),
        ("answer and stay", ChildTimedOut),
        ("fail", ChildFailed),
    ],
)
def test_a_fork_that_is_killed_or_fails_costs_no_child(pool: SandboxPool, action: str, error: type[Exception]) -> None:
    before = tree(pool)
    with pytest.raises(error):
        ask(pool, action, limits=HASTY)
    assert tree(pool) == before
    assert_works(pool)


def test_a_fork_that_takes_long_leaves_the_processor_to_others(pool: SandboxPool) -> None:
    before, call = tree(pool), Call()
    yielding = replace(PATIENT, yields_after_s=0.1)
    with ThreadPoolExecutor() as threads:
        threads.submit(ask, pool, "spin", limits=yielding, call=call)
        (fork,) = eventually(lambda: tree(pool) - before, "the fork of a request")
        assert fork.parent().nice() == 0
        eventually(lambda: fork.nice() == 10, "less of the processor")
        call.cancel()
    assert tree(pool) == before


def test_a_fork_dies_with_its_template(pool: SandboxPool) -> None:
    before = tree(pool)
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(ask, pool, "spin", limits=PATIENT)
        (fork,) = eventually(lambda: tree(pool) - before, "the fork of a request")
        fork.parent().kill()
        assert isinstance(asked.exception(), SandboxUnavailable)
    assert_ended([fork])
    assert_works(pool)


def test_a_program_that_starts_threads_is_refused(tmp_path: Path) -> None:
    (tmp_path / "threaded.py").write_text(_THREADED)
    program = Program(folder=tmp_path, module="threaded")
    refused = pytest.raises(SandboxUnavailable, match="threads")
    with closing(SandboxPool(program, ChildLimits(), children=1)) as pool, refused:
        pool.ask({}, accept=lambda value: value, limits=ANY_LIMITS, wait_s=1)


_THREADED = """
import threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
handle = print
"""
