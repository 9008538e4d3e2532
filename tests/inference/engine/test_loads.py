"""Test the loads of models on a host: callers who wait, callers who leave, and loads that fail."""

import threading
from pathlib import Path

import numpy as np
import pytest

from inference.core.calls import Call
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed
from inference.runtime.session import Session
from inference.runtime.session_host import Change, Happened
from inference.runtime.session_slot import FIRST_DELAY_S, LONGEST_DELAY_S, LoadFailures
from tests.inference.runtime.graphs import save_adder
from tests.inference.runtime.hosts import held, host, in_threads
from tests.waiting import eventually


class SlowWarmUp:
    """A warm-up that continues only when the test lets it."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.times = 0

    def __call__(self, session: Session) -> None:
        self.times += 1
        self.begun.set()
        assert self.go_on.wait(30)


def test_64_callers_of_a_cold_model_wait_for_one_load(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx")
    sessions, warm_up = host(), SlowWarmUp()
    answers: list[float] = []

    def ask() -> None:
        with sessions.session(path, warm_up) as session:
            answers.append(float(session.run({"x": np.zeros((1, 4), np.float32)})[0].sum()))

    asking = threading.Thread(target=in_threads, args=(64, ask))
    asking.start()
    eventually(lambda: sessions._slots[str(path)].users == 64 if sessions._slots else False, "all 64 wait")
    warm_up.go_on.set()
    asking.join()
    assert answers == [4.0] * 64
    assert (warm_up.times, sessions.tallies()[str(path)].loads) == (1, 1)


def test_canceled_caller_leaves_at_once_and_the_load_goes_on(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx")
    sessions, warm_up, call = host(), SlowWarmUp(), Call()
    ended: list[type] = []

    def ask() -> None:
        try:
            sessions.load(path, warm_up, call=call)
        except CallCanceled:
            ended.append(CallCanceled)

    asking = threading.Thread(target=ask)
    asking.start()
    assert warm_up.begun.wait(30)
    call.cancel()
    asking.join()
    assert ended == [CallCanceled]
    assert held(sessions) == set()
    warm_up.go_on.set()
    eventually(lambda: held(sessions) == {"a.onnx"}, "the load ended well")
    assert warm_up.times == 1


def test_caller_whose_deadline_passes_leaves_the_load_to_others(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx")
    sessions, warm_up = host(), SlowWarmUp()
    with pytest.raises(DeadlinePassed):
        sessions.load(path, warm_up, call=Call(deadline_s=0.0))
    waiting = threading.Thread(target=sessions.load, args=(path, warm_up))
    waiting.start()
    assert warm_up.begun.wait(30)
    warm_up.go_on.set()
    waiting.join()
    assert held(sessions) == {"a.onnx"}


def test_canceled_caller_does_not_wait_for_room(tmp_path: Path) -> None:
    first, second = (save_adder(tmp_path / f"{name}.onnx", floats=1000) for name in "ab")
    sessions, call = host(budget_bytes=first.stat().st_size, wait_for_room_s=600.0), Call()
    ended = threading.Event()

    def ask() -> None:
        with pytest.raises(CallCanceled):
            sessions.load(second, call=call)
        ended.set()

    with sessions.session(first):
        asking = threading.Thread(target=ask)
        asking.start()
        eventually(lambda: sessions._queue, "the second waits for room")
        call.cancel()
        assert ended.wait(30)
        asking.join()
        # No caller wants the model any more, so it must not take memory later.
        eventually(lambda: not sessions._queue, "the load was given up")
    sessions.load(second)
    assert held(sessions) == {"b.onnx"}


def test_failed_load_is_told_at_once_to_whoever_asks_soon_after(tmp_path: Path) -> None:
    path = tmp_path / "a.onnx"
    path.write_bytes(b"not a model")
    sessions = host()
    failures: list[ModelFailed] = []

    def ask() -> None:
        try:
            sessions.load(path)
        except ModelFailed as failure:
            failures.append(failure)

    in_threads(64, ask)
    assert {(failure.code, failure.retryable) for failure in failures} == {("model_load_failed", False)}
    assert len({failure.detail for failure in failures}) == 1
    assert len(failures) == len(set(map(id, failures))) == 64
    assert sessions.tallies()[str(path)].failures == 1


def test_warm_up_that_fails_fails_the_load_with_a_typed_error(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx")
    sessions = host()

    def broken(session: Session) -> None:
        raise KeyError("no such output")

    with pytest.raises(ModelFailed) as failure:
        sessions.load(path, broken)
    assert str(failure.value) == "model_load_failed: a.onnx: KeyError: 'no such output'"
    assert held(sessions) == set()
    assert sessions.held_bytes == 0


def test_failure_is_remembered_longer_each_time_and_forgotten_when_told(tmp_path: Path) -> None:
    path = str(save_adder(tmp_path / "a.onnx"))
    failures, error, now_s = LoadFailures(), ModelFailed("model_load_failed", "broken"), 0.0
    delays = []
    for _ in range(7):
        failures.note(path, error, now_s)
        delay_s = FIRST_DELAY_S
        while _refused(failures, path, now_s + delay_s - 0.5):
            delay_s += FIRST_DELAY_S
        delays.append(delay_s - FIRST_DELAY_S)
        now_s += LONGEST_DELAY_S
    assert delays == [1, 2, 4, 8, 16, 30, 30]
    failures.forget(path)
    assert not _refused(failures, path, now_s)


def _refused(failures: LoadFailures, path: str, now_s: float) -> bool:
    try:
        failures.refuse(path, now_s)
    except ModelFailed:
        return True
    return False


def test_listeners_hear_what_comes_goes_and_fails(tmp_path: Path) -> None:
    good, bad = save_adder(tmp_path / "good.onnx"), tmp_path / "bad.onnx"
    bad.write_bytes(b"not a model")
    sessions = host()
    heard: list[Change] = []

    def deaf(change: Change) -> None:
        raise RuntimeError("nobody listens")

    sessions.on_change(deaf)
    sessions.on_change(heard.append)
    sessions.load(good)
    sessions.evict(good)
    with pytest.raises(ModelFailed):
        sessions.load(bad)
    eventually(lambda: len(heard) == 3, "three changes were told")
    assert [(change.happened, Path(change.path).name) for change in heard] == [
        (Happened.LOADED, "good.onnx"),
        (Happened.EVICTED, "good.onnx"),
        (Happened.FAILED, "bad.onnx"),
    ]


def test_loads_and_evictions_are_counted_for_each_file(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx")
    sessions = host()
    for _ in range(3):
        sessions.load(path)
        assert sessions.evict(path)
        assert held(sessions) == set()
    tally = sessions.tallies()[str(path)]
    assert (tally.loads, tally.evictions, tally.failures) == (3, 3, 0)
    assert tally.load_s > 0


def test_session_that_was_evicted_says_so_to_whoever_kept_it(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx")
    sessions = host()
    with sessions.session(path) as session:
        pass
    sessions.evict(path)
    with pytest.raises(ModelFailed) as failure:
        session.run({"x": np.zeros((1, 4), np.float32)})
    assert (failure.value.code, failure.value.retryable) == ("model_unloaded", True)


def test_caller_inside_another_session_is_not_held_up_by_a_load_that_waits_for_that_one(
    tmp_path: Path,
) -> None:
    inner, outer = (save_adder(tmp_path / f"{name}.onnx", floats=1000) for name in ("inner", "outer"))
    large = save_adder(tmp_path / "large.onnx", floats=2200)
    sessions = host(budget_bytes=3 * outer.stat().st_size, wait_for_room_s=7200.0)
    with sessions.session(outer):
        waiting = threading.Thread(target=sessions.load, args=(large,))
        waiting.start()
        eventually(lambda: any(slot.blocked_since_s for slot in sessions._queue), "the large one waits")
        sessions._queue[0].blocked_since_s -= 3600
        sessions.load(inner)
        assert held(sessions) == {"inner.onnx", "outer.onnx"}
    waiting.join()
    assert "large.onnx" in held(sessions)
