"""Compare 64 callers of one model in batches with the same callers one by one, and time what the engine adds.

Run from the repository's root: python -m tests.benchmarks.bench_batching
"""

import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from inference.batching.batcher import Batcher, Piece
from inference.batching.limits import BatchLimits
from inference.batching.watch import BatchTally
from inference.core.calls import Call, RunControl
from inference.runtime.machine import this_machine
from tests.benchmarks.circumstances import circumstances

CALLERS = 64
WIDTH, LAYERS = 4096, 4
CALLS_ALONE, CALLS_TOGETHER = 3, 24
CALLS_OF_NOTHING = 100
ROUNDS = 7
MUST_GAIN = 8.0
MAX_OVERHEAD_US = 50.0

Row = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Figures:
    items_per_s: float
    rows_per_batch: float


@dataclass(frozen=True)
class Overhead:
    """The overhead for one item, in a batch that runs nothing."""

    wall_us: float
    cpu_us: float
    rows_per_batch: float


def save_memory_bound_model(path: Path) -> None:
    """Save a model whose weights are far larger than any cache, so that one row costs nearly as much as 64."""
    rng = np.random.default_rng(4)
    nodes, weights, name = [], [], "x"
    for layer in range(LAYERS):
        values = rng.standard_normal((WIDTH, WIDTH), np.float32) / np.float32(WIDTH**0.5)
        weights.append(numpy_helper.from_array(values, f"w{layer}"))
        nodes.append(helper.make_node("MatMul", [name, f"w{layer}"], [f"m{layer}"]))
        nodes.append(helper.make_node("Relu", [f"m{layer}"], [f"x{layer}"]))
        name = f"x{layer}"
    shape: list[str | int | None] = ["rows", WIDTH]
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)],
        weights,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)


def open_session(path: Path) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = this_machine().threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run_rows(session: ort.InferenceSession) -> Callable[[Sequence[Row], int, RunControl], Sequence[Row]]:
    def run(rows: Sequence[Row], length: int, control: RunControl) -> Sequence[Row]:
        answers: Sequence[Row] = session.run(None, {"x": np.stack(rows)})[0]
        return answers

    return run


def measure_model(session: ort.InferenceSession, *, max_rows: int, calls: int) -> Figures:
    tally = BatchTally()
    batcher = Batcher("layers", run_rows(session), limits=BatchLimits(max_rows=max_rows), watch=tally)
    row = np.ones(WIDTH, np.float32)
    try:
        batcher.run([Piece(row)], Call())
        before = tally.figures
        took_s = time_callers(lambda: batcher.run([Piece(row)], Call()), calls)
        after = tally.figures
    finally:
        batcher.close()
    return Figures(CALLERS * calls / took_s, (after.rows - before.rows) / (after.batches - before.batches))


def time_callers(call: Callable[[], Any], calls: int) -> float:
    """Time callers that each send their next call when the last has returned."""
    ready = threading.Barrier(CALLERS + 1)

    def ask() -> None:
        ready.wait()
        for _ in range(calls):
            call()

    callers = [threading.Thread(target=ask) for _ in range(CALLERS)]
    for caller in callers:
        caller.start()
    ready.wait()
    begun = time.perf_counter()
    for caller in callers:
        caller.join()
    return time.perf_counter() - begun


def overhead() -> Overhead:
    """Return the fastest round, because other work on the machine only ever adds time."""
    return min((overhead_of_a_round() for _ in range(ROUNDS)), key=lambda one: one.wall_us)


def overhead_of_a_round() -> Overhead:
    """Time one round. Each caller calls again when its call has returned, so batches are as full as possible."""
    tally = BatchTally()
    batcher: Batcher[int, int] = Batcher("nothing", lambda rows, length, control: rows, watch=tally)
    begun_cpu_s = time.process_time()
    try:
        took_s = time_callers(lambda: batcher.run([Piece(1)], Call()), CALLS_OF_NOTHING)
    finally:
        batcher.close()
    items = CALLERS * CALLS_OF_NOTHING
    cpu_s = time.process_time() - begun_cpu_s
    rows = tally.figures.rows / tally.figures.batches
    return Overhead(took_s / items * 1e6, cpu_s / items * 1e6, rows)


def verdict(*, holds: bool) -> str:
    return "holds" if holds else "FALLS SHORT"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "layers.onnx")
        save_memory_bound_model(path)
        session = open_session(path)
        alone = measure_model(session, max_rows=1, calls=CALLS_ALONE)
        together = measure_model(session, max_rows=CALLERS, calls=CALLS_TOGETHER)
    cost = overhead()
    gain = together.items_per_s / alone.items_per_s
    print(f"{circumstances()}, ONNX Runtime {ort.__version__}")
    print(f"{LAYERS} layers of {WIDTH}x{WIDTH} float32, {CALLERS} callers\n")
    print("| what | rows per batch | figure | must reach | |")
    print("|---|--|--|--|--|")
    print(f"| one by one | {alone.rows_per_batch:.1f} | {alone.items_per_s:.0f}/s | | |")
    print(f"| in batches | {together.rows_per_batch:.1f} | {together.items_per_s:.0f}/s (x{gain:.1f})", end=" ")
    print(f"| x{MUST_GAIN:g} | {verdict(holds=gain >= MUST_GAIN)} |")
    print(f"| overhead per item, {CALLERS} waiting threads | {cost.rows_per_batch:.1f}", end=" ")
    print(f"| {cost.wall_us:.0f} µs ({cost.cpu_us:.0f} µs CPU) | {MAX_OVERHEAD_US:g} µs", end=" ")
    print(f"| {verdict(holds=cost.wall_us <= MAX_OVERHEAD_US)} |")


if __name__ == "__main__":
    main()
