"""Tests of a pool whose engines are plain objects."""

import threading
import time

import pytest

from inference.core.calls import Call
from inference.core.errors import DeadlinePassed
from inference.runtime.engine_pool import EnginePool


class Engines:
    def __init__(self) -> None:
        self.made: list[str] = []
        self.closed: list[str] = []

    def make(self, key: str) -> str:
        self.made.append(key)
        return f"{key}{len(self.made)}"

    def pool(self, size: int) -> EnginePool[str]:
        return EnginePool(self.make, self.closed.append, size=size)


def test_idle_engine_is_lent_again() -> None:
    engines = Engines()
    pool = engines.pool(2)
    for _ in range(3):
        with pool.engine("rus", Call()) as engine:
            assert engine == "rus1"
    assert engines.made == ["rus"]


def test_longest_idle_engine_makes_way_for_another_language() -> None:
    engines = Engines()
    pool = engines.pool(2)
    for key in ("rus", "ara", "heb"):
        with pool.engine(key, Call()):
            pass
    assert engines.closed == ["rus1"]


def test_engine_is_closed_after_an_error() -> None:
    engines = Engines()
    pool = engines.pool(1)
    with pytest.raises(ValueError, match="bad"), pool.engine("rus", Call()):
        raise ValueError("bad")
    assert engines.closed == ["rus1"]
    with pool.engine("rus", Call()) as engine:
        assert engine == "rus2"


def test_failed_start_of_an_engine_leaves_its_slot_free() -> None:
    def fail(_: str) -> str:
        raise ValueError("no data")

    pool: EnginePool[str] = EnginePool(fail, lambda _: None, size=1)
    for _ in range(2):
        with pytest.raises(ValueError, match="no data"), pool.engine("rus", Call()):
            pass


def test_late_call_does_not_wait_for_an_engine() -> None:
    pool = Engines().pool(1)
    late = Call(deadline_s=time.monotonic() + 0.05)
    with pool.engine("rus", Call()), pytest.raises(DeadlinePassed), pool.engine("rus", late):
        pass


def test_waiting_call_gets_the_engine_that_comes_back() -> None:
    pool = Engines().pool(1)
    lent: list[str] = []

    def wait() -> None:
        with pool.engine("rus", Call()) as engine:
            lent.append(engine)

    with pool.engine("rus", Call()) as engine:
        waiting = threading.Thread(target=wait)
        waiting.start()
    waiting.join(10)
    assert lent == [engine]


def test_close_frees_idle_engines() -> None:
    engines = Engines()
    pool = engines.pool(2)
    with pool.engine("rus", Call()):
        pass
    pool.close()
    assert engines.closed == ["rus1"]
