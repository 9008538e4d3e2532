import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from inference.core.calls import Call
from inference.core.errors import CallCanceled, DeadlinePassed
from inference.runtime.made_once import OncePerKey
from tests.inference.runtime.hosts import in_threads

TIMEOUT_S = 20


def test_value_is_made_once_for_all_threads() -> None:
    made: list[str] = []
    start = threading.Barrier(8)

    def make() -> object:
        made.append("a")
        return object()

    once: OncePerKey[object] = OncePerKey()
    values: list[object] = []

    def ask() -> None:
        start.wait()
        values.append(once.get("a", make))

    in_threads(8, ask)
    assert made == ["a"]
    assert len(set(map(id, values))) == 1


def test_only_the_values_used_last_are_kept() -> None:
    made: list[str] = []
    once: OncePerKey[None] = OncePerKey(capacity=2)
    for key in ("a", "b", "a", "c", "a", "b"):
        once.get(key, partial(made.append, key))
    assert made == ["a", "b", "c", "b"]


def test_failure_is_not_kept() -> None:
    answers: Iterator[str | Exception] = iter([ValueError("first"), "second"])

    def make() -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    once: OncePerKey[str] = OncePerKey()
    with pytest.raises(ValueError, match="first"):
        once.get("a", make)
    assert once.get("a", make) == "second"


class Slow:
    """A function that returns "made" when it is released, unless its call ends first."""

    def __init__(self) -> None:
        self.once: OncePerKey[str] = OncePerKey()
        self.began, self.go = threading.Event(), threading.Event()

    def get(self, call: Call) -> str:
        def make() -> str:
            withdraw = call.on_cancel(self.go.set)
            self.began.set()
            assert self.go.wait(TIMEOUT_S)
            withdraw()
            call.check()
            return "made"

        return self.once.get("a", make, call)


def test_whoever_waits_leaves_with_his_own_call_and_ends_nothing() -> None:
    slow, leaver = Slow(), Call()
    with ThreadPoolExecutor(2) as pool:
        maker = pool.submit(slow.get, Call())
        assert slow.began.wait(TIMEOUT_S)
        waiting = pool.submit(slow.get, leaver)
        leaver.cancel()
        assert isinstance(waiting.exception(TIMEOUT_S), CallCanceled)
        with pytest.raises(DeadlinePassed):
            slow.get(Call(deadline_s=time.monotonic() + 0.01))
        slow.go.set()
        assert maker.result(TIMEOUT_S) == "made"


def test_who_waited_for_one_that_left_makes_it_himself() -> None:
    slow, leaver = Slow(), Call()
    with ThreadPoolExecutor(2) as pool:
        maker = pool.submit(slow.get, leaver)
        assert slow.began.wait(TIMEOUT_S)
        waiting = pool.submit(slow.get, Call())
        leaver.cancel()
        assert isinstance(maker.exception(TIMEOUT_S), CallCanceled)
        assert waiting.result(TIMEOUT_S) == "made"
