"""Test runs with bound tensors. On a CPU all are bound there, and the answers equal those of a plain run."""

from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto

from inference.runtime.bound_run import GPU, BoundRun, can_be_bound
from inference.runtime.hosted_session import HostedSession
from inference.runtime.memory_in_use import gpu_memory
from inference.runtime.providers import CUDA, plan_execution
from inference.runtime.session_host import SessionHost
from tests.inference.runtime.graphs import save_adder, save_operator

ROWS = np.arange(8, dtype=np.float32).reshape(2, 4)
HAS_CUDA = gpu_memory() is not None and CUDA in ort.get_available_providers()


def bound(path: Path) -> BoundRun:
    return BoundRun(ort.InferenceSession(str(path), providers=["CPUExecutionProvider"]))


def test_bound_run_answers_like_a_plain_one(tmp_path: Path) -> None:
    run = bound(save_adder(tmp_path / "adder.onnx"))
    for _ in range(2):
        (answer,) = run.run({"x": ROWS}, None, ort.RunOptions())
        assert np.array_equal(answer, ROWS + 1)
    (answer,) = run.run({"x": ROWS}, ["y"], ort.RunOptions())
    assert np.array_equal(answer, ROWS + 1)
    turned = np.asfortranarray(ROWS)
    (answer,) = run.run({"x": turned}, None, ort.RunOptions())
    assert np.array_equal(answer, ROWS + 1)


def test_graph_that_takes_text_is_not_bound(tmp_path: Path) -> None:
    text = save_operator(tmp_path / "text.onnx", "Identity", kind=TensorProto.STRING)
    for path, bindable in ((text, False), (save_adder(tmp_path / "adder.onnx"), True)):
        session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        assert can_be_bound(session) == bindable


@pytest.mark.parametrize(
    "feeds", [{}, {"x": ROWS.astype(np.float64)}, {"x": ROWS[0]}, {"x": ROWS[:, :3]}, {"x": ROWS, "z": ROWS}]
)
def test_tensors_that_do_not_fit_are_refused_before_the_run(tmp_path: Path, feeds: dict[str, np.ndarray]) -> None:
    with pytest.raises(ValueError, match=r"'x'|inputs are"):
        bound(save_adder(tmp_path / "adder.onnx")).run(feeds, None, ort.RunOptions())


def test_bound_run_ends_when_it_is_told_to(tmp_path: Path) -> None:
    options = ort.RunOptions()
    options.terminate = True
    with pytest.raises(RuntimeError, match="terminate"):
        bound(save_adder(tmp_path / "adder.onnx")).run({"x": ROWS}, None, options)


@pytest.mark.skipif(not HAS_CUDA, reason="no NVIDIA GPU, or not the GPU build of ONNX Runtime")
def test_gpu_answers_like_the_cpu_and_its_memory_is_counted(tmp_path: Path) -> None:
    plan = plan_execution([CUDA], threads=1, has_nvidia_gpu=True, gpu_memory_bytes=1 << 30)
    host = SessionHost(plan, budget_bytes=1 << 30)
    path = save_adder(tmp_path / "adder.onnx", floats=1 << 20)
    rows = np.ones((2, 1 << 20), np.float32)
    with host.session(path) as session:
        assert isinstance(session, HostedSession)
        assert session.provider == CUDA
        assert session._bound is not None
        assert session._bound._inputs == {"x": GPU}
        assert np.array_equal(session.run({"x": rows})[0], rows + 1)
    (resident,) = host.resident()
    assert resident.held_bytes >= 4 << 20
