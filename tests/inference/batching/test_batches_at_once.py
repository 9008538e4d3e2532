"""Test batches of one model that run at the same time."""

import threading
from collections.abc import Sequence

import pytest

from inference.batching import batcher as batcher_module
from inference.batching.limits import BatchLimits
from inference.core.calls import Call, RunControl
from tests.inference.batching.callers import answers, ask, ask_each, batching, pieces
from tests.inference.batching.models import TIMEOUT_S, HeldUp
from tests.waiting import eventually

ONE_ROW = BatchLimits(max_rows=1, max_wait_ms=0)


class Companions(HeldUp):
    """A model that notes which of its runs had company, and how many ran at the same time."""

    def __init__(self) -> None:
        super().__init__()
        self.company: dict[int, bool] = {}
        self.most = self._now = 0
        self._lock = threading.Lock()

    def __call__(self, numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            self.company[numbers[0]] = control.has_company
        try:
            return super().__call__(numbers, length, control)
        finally:
            with self._lock:
                self._now -= 1


def test_as_many_batches_as_may_run_at_once() -> None:
    model = Companions()
    with batching(model, ONE_ROW, at_once=2) as batcher:
        futures = ask_each(batcher, pieces(*range(12)))
        model.wait_for_run()
        model.wait_for_run()
        assert not model.began.acquire(timeout=0.05)
        model.go.set()
        assert answers(futures) == [2 * number for number in range(12)]
    assert model.most == 2


def test_a_batch_alone_has_no_company_and_others_have() -> None:
    model = Companions()
    with batching(model, ONE_ROW, at_once=2) as batcher:
        futures = [ask(batcher, pieces(1))]
        model.wait_for_run()
        futures += ask_each(batcher, pieces(2, 3))
        model.wait_for_run()
        model.go.set()
        assert answers(futures) == [2, 4, 6]
        assert batcher.run(pieces(4), Call()) == [8]
    assert (model.company[1], model.company[2], model.company[4]) == (False, True, False)


def test_one_batch_at_a_time_never_has_company() -> None:
    model = Companions()
    with batching(model, ONE_ROW) as batcher:
        futures = ask_each(batcher, pieces(1, 2, 3))
        model.go.set()
        assert answers(futures) == [2, 4, 6]
    assert (model.most, set(model.company.values())) == (1, {False})


def test_an_idle_batcher_keeps_none_of_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batcher_module, "IDLE_THREAD_S", 0.05)
    model = Companions()
    with batching(model, ONE_ROW, at_once=3) as batcher:
        futures = ask_each(batcher, pieces(1, 2, 3))
        for _ in range(3):
            model.wait_for_run()
        assert len(batcher._threads) == 3
        model.go.set()
        assert answers(futures) == [2, 4, 6]
        eventually(lambda: not batcher._threads, "the end of the threads")
        assert batcher.run(pieces(4), Call()) == [8]


def test_closing_waits_for_all_that_run() -> None:
    model = Companions()
    with batching(model, ONE_ROW, at_once=2) as batcher:
        futures = ask_each(batcher, pieces(1, 2))
        model.wait_for_run()
        model.wait_for_run()
        closing = threading.Thread(target=batcher.close)
        closing.start()
        closing.join(0.05)
        assert closing.is_alive()
        model.go.set()
        closing.join(TIMEOUT_S)
        assert answers(futures) == [2, 4]


def test_many_callers_get_their_own_answers() -> None:
    model = Companions()
    model.go.set()
    with batching(model, BatchLimits(max_rows=4, max_wait_ms=0), at_once=2) as batcher:
        futures = [ask(batcher, pieces(3 * number, 3 * number + 1, 3 * number + 2)) for number in range(100)]
        assert answers(futures) == [2 * number for number in range(300)]
