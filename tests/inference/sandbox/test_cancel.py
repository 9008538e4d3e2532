"""Test that a caller who leaves keeps neither a thread nor a child busy."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from inference.core.calls import Call
from inference.core.errors import CallCanceled
from inference.sandbox import SandboxPool
from tests.waiting import eventually

from .asking import ask, assert_ended, assert_works, tree


@contextmanager
def asked(pool: SandboxPool, do: str, call: Call) -> Iterator["Future[Any]"]:
    """Send the request in another thread, for which the end of the block waits."""
    with ThreadPoolExecutor(1) as threads:
        yield threads.submit(ask, pool, do, call=call)


def fork_beside(idle: set[psutil.Process], pool: SandboxPool) -> psutil.Process:
    """Return the process that runs a request."""
    return eventually(lambda: tree(pool) - idle, "a child at work").pop()


def test_a_canceled_request_ends_at_once_and_costs_no_child(pool: SandboxPool) -> None:
    call = Call()
    idle = tree(pool)
    with asked(pool, "spin", call) as answer:
        fork = fork_beside(idle, pool)
        call.cancel()
        assert isinstance(answer.exception(timeout=2), CallCanceled)
    assert_ended([fork])
    assert_works(pool)
    assert tree(pool) == idle


def test_a_call_that_is_canceled_while_it_waits_for_a_child_leaves_the_next_one_its_turn(
    pool: SandboxPool,
) -> None:
    first, second, idle = Call(), Call(), tree(pool)
    with asked(pool, "spin", first):
        fork_beside(idle, pool)
        with asked(pool, "echo", second) as waiting:
            second.cancel()
            assert isinstance(waiting.exception(timeout=2), CallCanceled)
        first.cancel()
    assert_works(pool)


def test_a_call_that_was_canceled_before_asks_nothing(pool: SandboxPool) -> None:
    call = Call()
    call.cancel()
    assert_works(pool)
    children = pool.pids()
    with asked(pool, "spin", call) as answer, pytest.raises(CallCanceled):
        answer.result(timeout=2)
    assert pool.pids() == children


def test_a_cancel_that_comes_with_the_answer_does_no_harm(pool: SandboxPool) -> None:
    for _ in range(20):
        call = Call()
        with asked(pool, "echo", call) as answer:
            threading.Thread(target=call.cancel).start()
            assert answer.exception(timeout=2) is None or isinstance(answer.exception(), CallCanceled)
    assert ask(pool, "echo", say="fine")["said"] == "fine"
