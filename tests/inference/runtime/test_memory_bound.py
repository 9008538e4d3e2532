"""Test that the budget bounds the memory between runs, whatever made a run large: size, shape or values."""

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from inference.runtime.memory_in_use import ResidentMemory, activity, host_memory
from inference.runtime.profiles import MemoryProfiles
from inference.runtime.run_memory import RunMemory
from inference.runtime.session import InvalidFeed
from inference.runtime.session_host import SessionHost
from inference.runtime.tensors import Array
from tests.inference.runtime.graphs import save_adder, save_nodes
from tests.inference.runtime.hosts import PLAN, StillMemory, held
from tests.inference.runtime.test_session_memory import others_at_work

pytestmark = pytest.mark.skipif(isinstance(host_memory(), ResidentMemory), reason="the C library does not count")
MIB = 1 << 20
BUDGET_BYTES = 64 * MIB


def save_attention(path: Path) -> Path:
    """Save a graph whose run takes the square of the row's length, as attention does."""
    nodes = [
        helper.make_node("Unsqueeze", ["x", "two"], ["column"]),
        helper.make_node("Unsqueeze", ["x", "one"], ["row"]),
        helper.make_node("MatMul", ["column", "row"], ["scores"]),
        helper.make_node("MatMul", ["scores", "column"], ["sums"]),
        helper.make_node("Squeeze", ["sums", "two"], ["y"]),
    ]
    return save_nodes(path, nodes, {"x": ["a", "b"]}, {"y": None}, one=np.array([1]), two=np.array([2]))


def save_filler(path: Path) -> Path:
    """Save a graph whose run takes as much memory as its single value says."""
    nodes = [
        helper.make_node("ConstantOfShape", ["x"], ["wide"]),
        helper.make_node("Neg", ["wide"], ["turned"]),
        helper.make_node("ReduceSum", ["turned"], ["y"], keepdims=0),
    ]
    return save_nodes(path, nodes, {"x": ["a"]}, {"y": None}, kinds=(TensorProto.INT64, TensorProto.FLOAT))


def save_failing_filler(path: Path) -> Path:
    """Save a graph that fails after it has taken as much memory as its value says."""
    nodes = [
        helper.make_node("ConstantOfShape", ["x"], ["wide"]),
        helper.make_node("Neg", ["wide"], ["turned"]),
        helper.make_node("Gather", ["turned", "x"], ["y"]),
    ]
    return save_nodes(path, nodes, {"x": ["a"]}, {"y": None}, kinds=(TensorProto.INT64, TensorProto.FLOAT))


def save_mirror(path: Path) -> Path:
    """Save a graph whose output is as large as its input."""
    nodes = [helper.make_node("Neg", ["x"], ["once"]), helper.make_node("Neg", ["once"], ["y"])]
    return save_nodes(path, nodes, {"x": ["a"]}, {"y": None})


def zeros(*shape: int) -> dict[str, Array]:
    return {"x": np.zeros(shape, np.float32)}


def length(value: int) -> dict[str, Array]:
    return {"x": np.array([value], np.int64)}


def test_a_run_of_fewer_bytes_that_takes_more_memory_counts(tmp_path: Path) -> None:
    sessions = SessionHost(PLAN, budget_bytes=1 << 30)
    with sessions.session(save_attention(tmp_path / "a.onnx")) as session:
        session.run(zeros(256, 64))
        small = sessions.held_bytes
        session.run(zeros(1, 4000))
    assert sessions.held_bytes - small > 60 * MIB


def test_a_run_that_takes_more_memory_by_its_values_alone_counts(tmp_path: Path) -> None:
    sessions = SessionHost(PLAN, budget_bytes=1 << 30)
    with sessions.session(save_filler(tmp_path / "a.onnx")) as session:
        session.run(length(10))
        small = sessions.held_bytes
        session.run(length(16 * MIB))
    assert sessions.held_bytes - small > 60 * MIB


@pytest.mark.parametrize(
    ("save", "small", "large"),
    [
        (save_attention, zeros(256, 64), zeros(1, 5000)),
        (save_filler, length(10), length(24 * MIB)),
        (save_mirror, zeros(10), zeros(24 * MIB)),
    ],
    ids=["by shape", "by value", "by answer"],
)
def test_what_is_kept_returns_below_the_budget_once_nobody_runs(tmp_path: Path, save, small, large) -> None:  # type: ignore[no-untyped-def]
    path, profiles = save(tmp_path / "a.onnx"), MemoryProfiles()
    sessions = SessionHost(PLAN, budget_bytes=BUDGET_BYTES, profiles=profiles)
    before_bytes = host_memory().used_bytes()
    for feeds in (small, large, small, large, large):
        with sessions.session(path) as session:
            session.run(feeds)
        assert sessions.held_bytes <= BUDGET_BYTES
        assert host_memory().used_bytes() - before_bytes < BUDGET_BYTES


def test_a_run_that_fails_counts_too(tmp_path: Path) -> None:
    path = save_failing_filler(tmp_path / "a.onnx")
    sessions = SessionHost(PLAN, budget_bytes=BUDGET_BYTES, profiles=MemoryProfiles())
    before_bytes = host_memory().used_bytes()
    for value in (10, 24 * MIB, 10, 24 * MIB):
        with sessions.session(path) as session, pytest.raises(InvalidFeed):
            session.run(length(value))
        assert host_memory().used_bytes() - before_bytes < BUDGET_BYTES


def test_an_arena_that_no_memory_is_left_for_leaves_with_its_session_as_soon_as_nobody_uses_it(
    tmp_path: Path,
) -> None:
    path = save_attention(tmp_path / "a.onnx")
    sessions = SessionHost(PLAN, budget_bytes=BUDGET_BYTES)
    with sessions.session(path) as session:
        session.run(zeros(1, 8000))
        assert held(sessions) == {"a.onnx"}
    assert held(sessions) == set()
    with sessions.session(path) as session:
        assert session.memory.gives_back
        session.run(zeros(1, 8000))
    assert held(sessions) == {"a.onnx"}


def test_a_run_that_has_given_its_arena_back_is_no_reason_to_leave(tmp_path: Path) -> None:
    sessions = SessionHost(PLAN, budget_bytes=BUDGET_BYTES)
    with sessions.session(save_attention(tmp_path / "a.onnx")) as session:
        session.run(zeros(1, 8000))
        session.run(zeros(1, 8000))
    assert held(sessions) == {"a.onnx"}


def test_growth_is_not_hidden_by_what_others_give_back_meanwhile() -> None:
    memory = RunMemory(StillMemory(), on_gpu=False)

    def run() -> list[Array]:
        activity.gave_back(5000)
        return []

    with others_at_work():
        memory.measured(run, zeros(1, 10), None)
    assert memory.growth.counted_bytes == 5000


def test_growth_seen_beside_others_takes_no_memory_from_them_and_is_given_back_at_the_next_run(
    tmp_path: Path,
) -> None:
    """The growth may have been caused by the others."""
    idle, path = save_adder(tmp_path / "idle.onnx", floats=4 * MIB), save_attention(tmp_path / "a.onnx")
    sessions = SessionHost(PLAN, budget_bytes=BUDGET_BYTES)
    sessions.load(idle)
    with sessions.session(path) as session, others_at_work():
        session.run(zeros(1, 10))
        before_bytes = host_memory().used_bytes()
        session.run(zeros(1, 4000))
        assert held(sessions) == {"idle.onnx", "a.onnx"}
        session.run(zeros(1, 10))
        assert host_memory().used_bytes() - before_bytes < 2 * MIB
        assert not session.memory.gives_back
    assert held(sessions) == {"idle.onnx", "a.onnx"}
