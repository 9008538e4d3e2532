"""Test models on an NVIDIA GPU. All tests are skipped on machines without one."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import helper

from inference.core.calls import Call
from inference.core.contracts import TensorInput, TextInput, VersionSpec, WorkInput
from inference.core.errors import ModelFailed
from inference.engine.engine import Engine, local_engine
from inference.runtime.fixed_size_runs import WHOLE_ROWS
from inference.runtime.memory_budget import budget_bytes
from inference.runtime.memory_in_use import GpuMemory, GpuUnknown, gpu_memory
from inference.runtime.providers import CPU, CUDA, plan_execution
from inference.runtime.session_host import SessionHost
from inference.runtime.shared_gpu import PROBE_BYTES, SharedGpuMemory, shared_gpu_memory
from tests.inference.registry.builtin.served import builtin_specs
from tests.inference.runtime.graphs import save_graph, save_graph_text
from tests.inference.runtime.pictures import LETTER, draw_page, picture_page

HAS_CUDA = gpu_memory() is not None and CUDA in ort.get_available_providers()
pytestmark = pytest.mark.skipif(
    not HAS_CUDA, reason="no NVIDIA driver answers, or this is not the GPU build of ONNX Runtime"
)
MIB = 1 << 20
CALLERS = 48
SHARE = 0.4
"""The share of the GPU that each of two processes has."""
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


def test_run_that_finds_the_gpu_filled_by_others_may_be_tried_again(tmp_path: Path) -> None:
    with gpu_host(8 << 30).session(save_wide(tmp_path / "wide.onnx")) as session:
        session.run({"x": np.ones((1, 1), np.float32)})
        free_bytes = device().total_bytes() - device().used_bytes()
        with device().holding(free_bytes - 500 * MIB), pytest.raises(ModelFailed, match="model_memory_busy") as failure:
            session.run({"x": np.ones((20, 1), np.float32)})
        assert failure.value.retryable
        assert session.run({"x": np.ones((20, 1), np.float32)})[0][0, 0] == pytest.approx(-25e6)


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


@pytest.fixture
def shared() -> SharedGpuMemory:
    try:
        return shared_gpu_memory(device())
    except GpuUnknown as error:
        pytest.skip(f"this driver does not count the memory of a process: {error}")


class Sharer:
    """Another process that runs a model on this GPU."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def start(self, rows: int) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{rows}\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Return the next answer, without the lines of the log before it."""
        assert self._process.stdout is not None
        lines = []
        for line in self._process.stdout:
            if line.startswith("{"):
                return dict(json.loads(line))
            lines.append(line)
        raise AssertionError("".join(lines))


@contextmanager
def sharer(path: Path, columns: int, memory_bytes: int = 0) -> Iterator[Sharer]:
    """Start the process, and do not wait until its model is loaded."""
    program = "tests.inference.runtime.gpu_sharer"
    arguments = [str(path), str(columns), str(SHARE), str(memory_bytes)]
    with subprocess.Popen(
        [sys.executable, "-m", program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Sharer(process)


def save_means(path: Path, *, inner: int, times: float) -> Path:
    """Save a graph of 4 x inner x inner bytes, whose answers to ones are all `times`."""
    weights = np.full((inner, inner), times / inner, np.float32)
    return save_graph(path, helper.make_node("MatMul", ["x", "w"], ["y"]), ["rows", inner], w=weights)


def test_memory_of_this_process_is_counted_and_that_of_others_is_not(shared: SharedGpuMemory, tmp_path: Path) -> None:
    before_bytes, all_before_bytes = shared.used_bytes(), device().used_bytes()
    with device().holding(PROBE_BYTES):
        assert shared.mapped_bytes() - before_bytes >= PROBE_BYTES // 2
    with sharer(save_means(tmp_path / "a.onnx", inner=4096, times=1), 4096) as other:
        other.start(1)
        other.answer()
        assert device().used_bytes() - all_before_bytes >= 64 * MIB
        assert abs(shared.mapped_bytes() - before_bytes) < 8 * MIB


def test_processes_that_share_a_gpu_count_their_own_models_alone(shared: SharedGpuMemory, tmp_path: Path) -> None:
    """They load and run at the same time. The weights of one take 64 MB, those of the other 576."""
    small = save_means(tmp_path / "small.onnx", inner=4096, times=1)
    large = save_means(tmp_path / "large.onnx", inner=12288, times=2)
    budget = budget_bytes(machine_bytes=0, gpu_bytes=device().total_bytes(), gpu_share=SHARE)
    with sharer(small, 4096) as first, sharer(large, 12288) as second:
        for rows in (1, 16, 4, 64, 1):
            first.start(rows)
            second.start(rows)
            answer, larger = first.answer(), second.answer()
            assert answer["answer"] == pytest.approx(1, rel=1e-4)
            assert larger["answer"] == pytest.approx(2, rel=1e-4)
            assert answer["budget_bytes"] == larger["budget_bytes"] == budget
            assert 64 * MIB <= answer["held_bytes"] < 576 * MIB <= larger["held_bytes"] <= budget


def test_process_that_exceeds_its_budget_fails_alone(shared: SharedGpuMemory, tmp_path: Path) -> None:
    first, second = (save_wide(tmp_path / f"{name}.onnx") for name in "ab")
    with sharer(first, 1, 1400 * MIB) as greedy, sharer(second, 1, 1400 * MIB) as modest:
        for _ in range(3):
            greedy.start(30)
            modest.start(3)
            assert "smaller than requested bytes" in greedy.answer()["error"]
            assert modest.answer()["answer"] == pytest.approx(-25e6)
        greedy.start(1)
        assert greedy.answer()["answer"] == pytest.approx(-25e6)
