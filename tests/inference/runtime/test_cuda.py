"""Test models on an NVIDIA GPU. All tests are skipped on machines without one."""

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
from onnx import helper

from inference.core.calls import Call
from inference.core.contracts import TensorInput, TextInput, VersionSpec, WorkInput
from inference.core.errors import ModelFailed
from inference.engine.engine import Engine, local_engine
from inference.runtime.fixed_size_runs import WHOLE_ROWS
from inference.runtime.memory_in_use import GpuMemory, gpu_memory
from inference.runtime.providers import CPU, CUDA, plan_execution
from inference.runtime.session_host import SessionHost
from tests.inference.registry.builtin.served import builtin_specs
from tests.inference.runtime.graphs import save_graph, save_graph_text
from tests.inference.runtime.pictures import LETTER, draw_page, picture_page

HAS_CUDA = gpu_memory() is not None and CUDA in ort.get_available_providers()
pytestmark = pytest.mark.skipif(
    not HAS_CUDA, reason="no NVIDIA driver answers, or this is not the GPU build of ONNX Runtime"
)
MIB = 1 << 20
CALLERS = 48
WORDS = "invoice total amount due date customer contract payment between parties".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def gpu() -> Engine:
    return local_engine()


@pytest.fixture(scope="module")
def cpu() -> Engine:
    return Engine(SessionHost(plan_execution([CPU], threads=4, has_nvidia_gpu=False), budget_bytes=4 << 30))


def device() -> GpuMemory:
    memory = gpu_memory()
    assert memory is not None
    return memory


def gpu_host(budget_bytes: int) -> SessionHost:
    plan = plan_execution([CUDA, CPU], threads=1, has_nvidia_gpu=True, gpu_memory_bytes=budget_bytes)
    return SessionHost(plan, budget_bytes=budget_bytes)


def save_matrix(path: Path, *, inner: int = 512) -> Path:
    weights = np.random.default_rng(1).standard_normal((inner, inner)).astype(np.float32)
    return save_graph(path, helper.make_node("MatMul", ["x", "w"], ["y"]), ["rows", inner], w=weights)


def save_wide(path: Path) -> Path:
    """Save a graph in which each row takes 100 MB while it runs, and a single number afterwards."""
    return save_graph_text(
        path,
        """wide (float[n, 1] x) => (float[n, 1] y) <int64[2] times = {1, 25000000}, int64[1] axis = {1}>
        { w = Tile(x, times) b = Neg(w) y = ReduceSum<keepdims = 1>(b, axis) }""",
    )


def model(path: Path) -> VersionSpec:
    return VersionSpec(path.stem, 1, "digest", "onnx", {"weights": str(path)})


def tensors(engine: Engine, spec: VersionSpec, work: WorkInput) -> list[np.ndarray]:
    answer = engine.answer(spec, work, {}, Call(tenant="a"))
    assert answer.tensors is not None
    return [np.asarray(tensor) for tensor in answer.tensors.values()]


def written(engine: Engine, spec: VersionSpec, works: Sequence[WorkInput]) -> list[bytes]:
    def one(work: WorkInput) -> bytes:
        return b"".join(tensor.tobytes() for tensor in tensors(engine, spec, work))

    if len(works) == 1:
        return [one(works[0])]
    with ThreadPoolExecutor(CALLERS) as pool:
        return list(pool.map(one, works))


def texts() -> list[WorkInput]:
    return [
        TextInput((" ".join(WORDS[(7 * n + i) % len(WORDS)] for i in range(1 + n)),), single=True) for n in range(150)
    ]


def test_vectors_are_those_of_the_cpu_in_full_precision(gpu: Engine, cpu: Engine) -> None:
    """With reduced precision for float32 products, the difference would be a thousand times as large."""
    spec = builtin_specs()["embed"]
    for work in texts()[::25]:
        (here,), (there,) = tensors(gpu, spec, work), tensors(cpu, spec, work)
        assert np.abs(here - there).max() < 2e-6
    (session,) = (one for one in gpu.host.resident() if one.path in gpu.session_paths(spec))
    assert session.provider == CUDA


def test_no_vector_shows_its_company(gpu: Engine) -> None:
    spec, works = builtin_specs()["embed"], texts()
    alone = [written(gpu, spec, [work])[0] for work in works]
    runs = sum(session.tally.runs for session in gpu.batchers.sessions())
    assert written(gpu, spec, works) == alone
    assert sum(session.tally.runs for session in gpu.batchers.sessions()) - runs < len(works)


def test_no_row_of_a_graph_shows_its_company(gpu: Engine, tmp_path: Path) -> None:
    spec, generator = model(save_matrix(tmp_path / "matrix.onnx")), np.random.default_rng(2)
    gpu.load(spec)
    assert gpu.rows_together(spec) > 1
    works: list[WorkInput] = [
        TensorInput({"x": generator.standard_normal((1 + n % 3, 512)).astype(np.float32)}) for n in range(120)
    ]
    alone = [written(gpu, spec, [work])[0] for work in works]
    assert written(gpu, spec, works) == alone


def test_rows_beyond_one_run_keep_their_order(gpu: Engine, cpu: Engine, tmp_path: Path) -> None:
    spec = model(save_matrix(tmp_path / "matrix.onnx"))
    many = np.random.default_rng(3).standard_normal((3 * WHOLE_ROWS + 5, 512)).astype(np.float32)
    (here,), (there,) = (tensors(engine, spec, TensorInput({"x": many})) for engine in (gpu, cpu))
    assert np.linalg.norm(here - there) / np.linalg.norm(there) < 2e-6


def test_a_graph_that_mixes_its_rows_is_found_out_here_too(gpu: Engine, tmp_path: Path) -> None:
    node = helper.make_node("Softmax", ["x"], ["y"], axis=0)
    spec = model(save_graph(tmp_path / "mixing.onnx", node, ["rows", 4]))
    gpu.load(spec)
    assert gpu.rows_together(spec) == 1


def test_pages_are_read_by_the_cpu(gpu: Engine, cpu: Engine) -> None:
    spec, page = builtin_specs()["read"], picture_page(draw_page(LETTER))
    here, there = (engine.run(spec, page, {"min_confidence": 0.0}) for engine in (gpu, cpu))
    assert here.result["text"] == there.result["text"]
    paths = gpu.session_paths(spec)
    assert {one.provider for one in gpu.host.resident() if one.path in paths} == {CPU}
    assert {model.key for model in gpu.resident()} >= {spec.key}


def test_models_leave_the_gpu_for_others_and_all_of_their_memory_with_them(tmp_path: Path) -> None:
    first, second = (save_matrix(tmp_path / f"{name}.onnx", inner=4096) for name in "ab")
    gpu_host(1 << 30).load(save_matrix(tmp_path / "primer.onnx"))
    sessions = gpu_host(200 * MIB)
    before = device().used_bytes()
    for path in (first, second, first):
        sessions.load(path)
        assert {Path(one.path).name for one in sessions.resident()} == {path.name}
        assert 64 * MIB <= device().used_bytes() - before <= sessions.budget_bytes
    assert sessions.evict(first)
    assert device().used_bytes() - before < 32 * MIB


def test_run_that_finds_no_memory_fails_and_those_that_fit_go_on(tmp_path: Path) -> None:
    sessions = gpu_host(1400 * MIB)
    with sessions.session(save_wide(tmp_path / "wide.onnx")) as session:
        for count in (1, 3):
            assert session.run({"x": np.ones((count, 1), np.float32)})[0].shape == (count, 1)
        with pytest.raises(ModelFailed, match="smaller than requested bytes"):
            session.run({"x": np.ones((30, 1), np.float32)})
        answers = []
        for _ in range(2):
            try:
                answers.append(session.run({"x": np.ones((6, 1), np.float32)})[0])
            except ModelFailed:
                continue
        assert answers, "what smaller runs have left in the arena keeps a larger one out for ever"
        assert session.run({"x": np.ones((1, 1), np.float32)})[0][0, 0] == pytest.approx(-25e6)


def test_process_that_may_see_no_gpu_runs_on_the_cpu() -> None:
    program = "from inference.engine.engine import local_engine; print(local_engine().describe())"
    told = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env={"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": ":".join(sys.path)},
    ).stdout
    assert "gpu_not_used" in told
    assert told.splitlines()[-1].startswith(CPU)
