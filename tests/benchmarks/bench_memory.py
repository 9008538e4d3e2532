"""Compare the engine's memory after 10,000 mixed requests with that after 1,000.

An arena keeps the memory of its largest batch, and one request in two hundred is a page. Each model therefore first
runs a batch as large as the mix can produce, so that no batch after the first thousand is the largest so far.

Run from the repository's root: python -m tests.benchmarks.bench_memory
"""

import gc
import random
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inference.core.calls import Call
from inference.core.contracts import TensorInput, TextInput, VersionSpec
from inference.engine.engine import Engine, local_engine
from inference.runtime.memory_in_use import host_memory
from tests.benchmarks.circumstances import circumstances
from tests.inference.registry.builtin.served import builtin_specs
from tests.inference.runtime.graphs import save_adder
from tests.inference.runtime.pictures import LETTER, draw_page, picture_page

CALLERS = 16
EARLY, LATE = 1_000, 10_000
STEP = 1_000
MAX_GROWTH = 1.05
PICTURE_SHARE, TEXT_SHARE = 0.005, 0.3
"""Shares of the requests. Pages are expensive, so there are few of them; texts have every length, and tensors every
number of rows.
"""
WORDS, MAX_WORDS, MAX_TENSOR_ROWS, FLOATS = ("invoice", "harbour", "rain", "2024"), 60, 40, 256


@dataclass(frozen=True, slots=True)
class Taken:
    after: int
    resident_bytes: int
    allocated_bytes: int


def rss_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4096


def memory_after(number: int) -> Taken:
    gc.collect()
    return Taken(number, rss_bytes(), host_memory().used_bytes())


def run_largest_batches(engine: Engine, model: VersionSpec) -> None:
    embed, ocr = builtin_specs()["embed"], builtin_specs()["read"]
    longest_line = max(LETTER, key=len)
    # After preparation for the detector, the first page is as large as a batch may be. The second has more text lines
    # than a batch.
    for page in (
        draw_page([longest_line], width=950, height=130),
        draw_page([longest_line] * 20, width=800, height=1460),
    ):
        engine.run(ocr, picture_page(page), {})
    text = " ".join([max(WORDS, key=len)] * MAX_WORDS)
    engine.run(embed, TextInput((text,) * CALLERS, single=False), {})
    engine.run(model, TensorInput({"x": np.zeros((64, FLOATS), np.float32)}), {})


def requests(engine: Engine, model: VersionSpec) -> Callable[[int], None]:
    embed, ocr = builtin_specs()["embed"], builtin_specs()["read"]

    def one(number: int) -> None:
        chance = random.Random(number)
        tenant, kind = Call(tenant=f"tenant-{number % 50}"), chance.random()
        if kind < PICTURE_SHARE:
            lines = chance.sample(LETTER, chance.randint(1, 3))
            picture = draw_page(lines, width=chance.choice([400, 600, 800]), height=60 + 70 * len(lines))
            engine.run(ocr, picture_page(picture), {}, tenant)
        elif kind < TEXT_SHARE:
            text = " ".join(chance.choices(WORDS, k=chance.randint(1, MAX_WORDS)))
            engine.run(embed, TextInput((text,), single=True), {}, tenant)
        else:
            rows = np.full((chance.randint(1, MAX_TENSOR_ROWS), FLOATS), number, np.float32)
            engine.run(model, TensorInput({"x": rows}), {}, tenant)

    return one


def measured(engine: Engine, model: VersionSpec) -> list[Taken]:
    run_largest_batches(engine, model)
    series = [memory_after(0)]
    one = requests(engine, model)
    with ThreadPoolExecutor(CALLERS) as pool:
        for number in range(0, LATE, STEP):
            list(pool.map(one, range(number, number + STEP)))
            series.append(memory_after(number + STEP))
    return series


def report(series: Sequence[Taken]) -> None:
    resident = {taken.after: taken.resident_bytes for taken in series}
    growth = resident[LATE] / resident[EARLY]
    print(circumstances())
    print(f"{CALLERS} callers of three models\n")
    print("| after requests | MB resident | MB allocated |")
    print("|--|--|--|")
    for taken in series:
        print(f"| {taken.after} | {taken.resident_bytes / 2**20:.0f} | {taken.allocated_bytes / 2**20:.0f} |")
    print(
        f"\n{LATE} to {EARLY} must be at most x{MAX_GROWTH}:"
        f" {'held' if growth <= MAX_GROWTH else 'MISSED'} (x{growth:.3f})"
    )


def main() -> None:
    engine = local_engine()
    with tempfile.TemporaryDirectory() as folder:
        path = save_adder(Path(folder) / "adder.onnx", floats=FLOATS)
        report(measured(engine, VersionSpec("adder", 1, "digest", "onnx", {"weights": str(path)})))


if __name__ == "__main__":
    main()
