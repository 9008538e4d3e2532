import threading
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
from structlog.testing import capture_logs

from inference.core.errors import ModelFailed
from inference.runtime.load_watch import watching_loads
from inference.runtime.providers import CPU, CUDA, plan_execution
from inference.runtime.session import InvalidFeed, weight_bytes
from inference.runtime.session_host import SessionHost
from tests.inference.runtime.graphs import save_adder, save_reader_of
from tests.inference.runtime.hosts import held, host, in_threads, run
from tests.waiting import eventually

ROW = np.zeros((1, 4), np.float32)


def test_many_threads_run_one_session_and_each_gets_its_own_answer(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx")
    sessions = host()
    wrong: list[float] = []
    numbers = iter(range(64))

    def ask() -> None:
        for _ in range(8):
            value = float(next(numbers))
            answer = run(sessions, path, x=np.full((3, 4), value, np.float32))[0]
            if not np.array_equal(answer, np.full((3, 4), value + 1)):
                wrong.append(value)

    in_threads(8, ask)
    assert wrong == []


def test_resident_session_tells_its_size_load_time_and_provider(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx", floats=1000)
    sessions = host()
    sessions.load(path)
    (resident,) = sessions.resident()
    assert resident.weight_bytes == resident.held_bytes == path.stat().st_size > 4000
    assert resident.load_s > 0
    assert (resident.provider, resident.users) == (CPU, 0)


def test_weights_beside_the_file_count(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx")
    (tmp_path / "a.onnx.data").write_bytes(b"\0" * 500)
    assert weight_bytes(path) == path.stat().st_size + 500


def test_least_recently_used_session_makes_room(tmp_path: Path) -> None:
    paths = [save_adder(tmp_path / f"{name}.onnx", floats=1000) for name in "abc"]
    sessions = host(budget_bytes=2 * paths[0].stat().st_size)
    for path in (paths[0], paths[1], paths[0], paths[2]):
        sessions.load(path)
    assert held(sessions) == {"a.onnx", "c.onnx"}


def test_session_in_use_is_never_evicted(tmp_path: Path) -> None:
    first, second = (save_adder(tmp_path / f"{name}.onnx", floats=1000) for name in "ab")
    sessions = host(budget_bytes=first.stat().st_size)
    with sessions.session(first) as session:
        assert not sessions.evict(first)
        with pytest.raises(ModelFailed) as failure:
            sessions.load(second)
        assert session.run({"x": np.zeros((1, 1000), np.float32)})[0][0, 0] == 1
    assert (failure.value.code, failure.value.retryable) == ("model_memory_busy", True)
    assert held(sessions) == {"a.onnx"}


def test_load_waits_until_a_session_in_use_ends(tmp_path: Path) -> None:
    first, second = (save_adder(tmp_path / f"{name}.onnx", floats=1000) for name in "ab")
    sessions = host(budget_bytes=first.stat().st_size, wait_for_room_s=30.0)
    loaded = threading.Event()

    def load_second() -> None:
        sessions.load(second)
        loaded.set()

    with sessions.session(first):
        waiting = threading.Thread(target=load_second)
        waiting.start()
        assert not loaded.is_set()
    waiting.join()
    assert held(sessions) == {"b.onnx"}


def test_model_larger_than_all_memory_for_models_is_refused(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx", floats=1000)
    with pytest.raises(ModelFailed) as failure:
        host(budget_bytes=1000).load(path)
    assert failure.value.code == "model_exceeds_memory"
    assert not failure.value.retryable


def test_file_that_failed_is_tried_again_at_once_when_it_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.onnx"
    path.write_bytes(b"not a model")
    sessions = host()
    with pytest.raises(ModelFailed) as failure:
        sessions.load(path)
    assert failure.value.code == "model_load_failed"
    assert held(sessions) == set()
    save_adder(path)
    assert run(sessions, path, x=ROW)[0].sum() == 4


def test_caller_who_is_interrupted_leaves_nobody_waiting(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx")
    sessions = host()

    def interrupted() -> None:
        raise SystemExit

    with pytest.raises(SystemExit), watching_loads(interrupted):
        sessions.load(path)
    sessions.load(path)
    assert held(sessions) == {"a.onnx"}
    eventually(lambda: not sessions.resident()[0].users, "everyone left")


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match=r"model_artifact_missing: gone\.onnx"):
        host().load(tmp_path / "gone.onnx")


def test_model_cannot_read_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    working, models = tmp_path / "working", tmp_path / "models"
    working.mkdir()
    models.mkdir()
    (working / "secret.txt").write_bytes(b"sixteen bytes!!!")
    monkeypatch.chdir(working)
    path = save_reader_of(models / "spy.onnx", "secret.txt")
    with pytest.raises(ModelFailed) as failure:
        run(host(), path, x=ROW)
    assert failure.value.code == "model_load_failed"


def test_feed_that_does_not_fit_is_told_apart_from_a_broken_model(tmp_path: Path) -> None:
    path = save_adder(tmp_path / "a.onnx")
    for feed in ({}, {"x": ROW.astype(np.float64)}, {"x": ROW[0]}, {"y": ROW}):
        with pytest.raises(InvalidFeed):
            run(host(), path, **feed)


def test_runs_and_their_rows_are_tallied_for_each_session(tmp_path: Path) -> None:
    sessions = host()
    path = save_adder(tmp_path / "a.onnx")
    with sessions.session(path) as session:
        for rows in (1, 3):
            session.run({session.inputs[0].name: np.zeros((rows, 4), np.float32)})
        with pytest.raises(InvalidFeed):
            session.run({"nonsense": ROW})
    (told,) = sessions.resident()
    assert (told.runs, told.rows) == (2, 4)
    assert told.run_s > 0


@pytest.mark.filterwarnings("ignore:Specified provider")
@pytest.mark.skipif(CUDA in ort.get_available_providers(), reason="CUDA can be had here")
def test_session_that_no_gpu_takes_says_so_and_runs_as_any_on_the_cpu(tmp_path: Path) -> None:
    plan = plan_execution([CUDA, CPU], threads=1, has_nvidia_gpu=True)
    sessions = SessionHost(plan, budget_bytes=1 << 30)
    path = save_adder(tmp_path / "a.onnx")
    with capture_logs() as lines, sessions.session(path) as session:
        assert not session.on_gpu
        with session.memory.giving_back():
            assert np.array_equal(session.run({"x": np.zeros((2, 4), np.float32)})[0], np.ones((2, 4)))
    assert [line["event"] for line in lines] == ["gpu_not_used"]
    other = save_adder(tmp_path / "b.onnx")
    with capture_logs() as lines, sessions.session(other, on_cpu=True) as session:
        assert session.provider == CPU
    assert lines == []
    for one in (path, other):
        assert sessions.evict(one)
