"""Test that the memory of sessions is measured, remembered, and checked against the budget."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from inference.core.errors import ModelFailed
from inference.runtime.memory_in_use import Activity, ResidentMemory, activity, gpu_memory, host_memory
from inference.runtime.profiles import MemoryProfiles, Profile, artifact_id
from inference.runtime.session import Session
from inference.runtime.session_host import SessionHost
from tests.inference.runtime.graphs import save_adder, save_nodes
from tests.inference.runtime.hosts import PLAN, ToldMemory, held, host

MIB = 1 << 20


def save_wide(path: Path, *, floats: int) -> Path:
    """Save a small graph in which each row is made this wide and negated three times."""
    nodes = [
        helper.make_node("Tile", ["x", "times"], ["wide"]),
        helper.make_node("Neg", ["wide"], ["once"]),
        helper.make_node("Neg", ["once"], ["twice"]),
        helper.make_node("Neg", ["twice"], ["y"]),
    ]
    return save_nodes(path, nodes, {"x": ["rows", 1]}, {"y": ["rows", floats]}, times=np.array([1, floats]))


def rows(count: int) -> dict[str, np.ndarray]:
    return {"x": np.zeros((count, 1), np.float32)}


@pytest.mark.skipif(isinstance(host_memory(), ResidentMemory), reason="the C library does not count")
def test_load_is_measured_to_the_byte_and_freed_at_its_end(tmp_path: Path) -> None:
    primer, path = save_adder(tmp_path / "primer.onnx"), save_adder(tmp_path / "a.onnx", floats=2 * MIB)
    sessions = SessionHost(PLAN, budget_bytes=1 << 30)
    sessions.load(primer)
    before = host_memory().used_bytes()
    sessions.load(path)
    (resident,) = (session for session in sessions.resident() if session.path == str(path))
    assert 8 * MIB <= resident.held_bytes <= 9 * MIB
    sessions.evict(path)
    assert abs(host_memory().used_bytes() - before) < MIB


def test_growth_of_the_arena_counts_when_a_larger_run_has_shown_it(tmp_path: Path) -> None:
    path = save_wide(tmp_path / "wide.onnx", floats=100_000)
    sessions = SessionHost(PLAN, budget_bytes=1 << 30)
    with sessions.session(path) as session:
        session.run(rows(1))
        small = sessions.held_bytes
        session.run(rows(64))
        grown = sessions.held_bytes
        session.run(rows(64))
    assert grown - small > 20 * MIB
    assert sessions.held_bytes == grown
    profile = sessions.profile(path)
    assert profile is not None
    assert profile.peak_bytes == grown > profile.loaded_bytes


def test_idle_session_leaves_when_a_run_needs_its_memory(tmp_path: Path) -> None:
    idle, path = (
        save_adder(tmp_path / "idle.onnx", floats=4 * MIB),
        save_wide(tmp_path / "wide.onnx", floats=100_000),
    )
    sessions = SessionHost(PLAN, budget_bytes=72 * MIB)
    sessions.load(idle)
    with sessions.session(path) as session:
        session.run(rows(1))
        assert held(sessions) == {"idle.onnx", "wide.onnx"}
        session.run(rows(64))
        assert held(sessions) == {"wide.onnx"}
        assert not session.memory.gives_back
    assert sessions.held_bytes <= sessions.budget_bytes


def test_arena_that_no_memory_is_left_for_is_given_back_after_each_run(tmp_path: Path) -> None:
    path = save_wide(tmp_path / "wide.onnx", floats=100_000)
    sessions = SessionHost(PLAN, budget_bytes=16 * MIB)
    before = host_memory().used_bytes()
    with sessions.session(path) as session:
        for count in (1, 64, 64, 100, 1):
            # The memory of an answer is kept for as long as the answer is referenced.
            assert (session.run(rows(count))[0] == 0).all()
            assert sessions.held_bytes <= sessions.budget_bytes
        assert session.memory.gives_back
        assert host_memory().used_bytes() - before < 16 * MIB


def test_model_is_told_too_large_before_it_is_loaded_a_second_time(tmp_path: Path) -> None:
    path, profiles = save_adder(tmp_path / "a.onnx"), MemoryProfiles()
    sessions = host(budget_bytes=5000, memory=ToldMemory(0, 6000), profiles=profiles)
    loads: list[Session] = []
    for _ in range(2):
        with pytest.raises(ModelFailed) as failure:
            sessions.load(path, loads.append)
        assert str(failure.value) == ("model_exceeds_memory: a.onnx needs 6000 bytes; models here may take 5000")
        assert held(sessions) == set()
        sessions.evict(path)
    assert len(loads) == 1


def test_model_that_turns_out_larger_makes_room_before_it_serves(tmp_path: Path) -> None:
    idle, path = save_adder(tmp_path / "idle.onnx"), save_adder(tmp_path / "a.onnx")
    size = idle.stat().st_size
    sessions = host(budget_bytes=5 * size, memory=ToldMemory(0, 0, 0, 4 * size + 1))
    sessions.load(idle)
    sessions.load(path)
    assert held(sessions) == {"a.onnx"}
    assert sessions.held_bytes == 4 * size + 1


def test_restart_knows_what_a_model_takes_before_it_loads_it(tmp_path: Path) -> None:
    other, path = save_adder(tmp_path / "other.onnx"), save_adder(tmp_path / "a.onnx")
    profiles = MemoryProfiles()
    first = host(profiles=profiles)
    first.load(path)
    first.profiles.change(str(path), loaded_bytes=3000, peak_bytes=4000, alone=True)
    first.learn(path, fit={"fixed_s": 0.25}, exactness={"min_rows": 2})
    first.stop()
    second = host(budget_bytes=4000 + other.stat().st_size, profiles=profiles)
    second.load(other)
    with second.session(path):
        assert second.held_bytes == second.budget_bytes
    profile = second.profile(path)
    assert profile is not None
    assert (profile.fit, profile.exactness) == ({"fixed_s": 0.25}, {"min_rows": 2})


def test_peak_beyond_the_budget_is_no_reason_to_refuse_what_fits(tmp_path: Path) -> None:
    path, profiles = save_adder(tmp_path / "a.onnx"), MemoryProfiles()
    size = path.stat().st_size
    known = host(profiles=profiles)
    known.load(path)
    known.profiles.change(str(path), loaded_bytes=size, peak_bytes=100 * size, alone=True)
    known.stop()
    sessions = host(budget_bytes=2 * size, profiles=profiles)
    with sessions.session(path) as session:
        assert session.memory.gives_back
        assert sessions.held_bytes == size


def test_figure_taken_beside_others_never_keeps_a_model_out(tmp_path: Path) -> None:
    path, profiles = save_adder(tmp_path / "a.onnx"), MemoryProfiles()
    noisy = Profile(file_bytes=path.stat().st_size, loaded_bytes=1 << 40, alone=False)
    sessions = host(budget_bytes=5000, profiles=profiles)
    profiles.put(artifact_id(path), sessions.profiles._device, noisy)
    sessions.load(path)
    assert held(sessions) == {"a.onnx"}


@contextmanager
def others_at_work() -> Iterator[None]:
    """Keep another thread running something for the whole time."""
    began, end = threading.Event(), threading.Event()

    def work() -> None:
        with activity.part():
            began.set()
            end.wait()

    other = threading.Thread(target=work)
    other.start()
    began.wait()
    try:
        yield
    finally:
        end.set()
        other.join()


def test_growth_of_a_session_that_is_never_alone_counts_here_and_is_not_remembered(tmp_path: Path) -> None:
    path = save_wide(tmp_path / "wide.onnx", floats=10)
    size = path.stat().st_size
    sessions = host(memory=ToldMemory(0, size, size, size + 5000))
    with others_at_work(), sessions.session(path) as session:
        assert sessions.held_bytes == size
        session.run(rows(4))
        assert sessions.held_bytes == size + 5000
    profile = sessions.profile(path)
    assert profile is not None
    assert (profile.loaded_bytes, profile.peak_bytes) == (size, size)


def test_part_is_alone_until_another_begins() -> None:
    activity = Activity()
    with activity.part() as first:
        assert first.alone
        with activity.part() as within:
            assert within is first
    with activity.part() as second:
        assert second.alone


def test_memory_goes_back_to_the_system_when_a_session_ends(tmp_path: Path) -> None:
    memory = ToldMemory(0)
    sessions = host(memory=memory)
    path = save_adder(tmp_path / "a.onnx")
    sessions.load(path)
    sessions.evict(path)
    assert memory.given_back == 1


@pytest.mark.skipif(gpu_memory() is None, reason="no NVIDIA driver answers")
def test_gpu_says_how_much_of_its_memory_is_in_use() -> None:
    memory = gpu_memory()
    assert memory is not None
    assert 0 < memory.used_bytes() < memory.total_bytes()
