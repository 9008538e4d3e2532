"""Compare a tiny model in the worker with the same model in a host, and its neighbors with and without a hostile model.

Run from the repository's root: python -m tests.benchmarks.bench_model_host. It needs no services.
"""

import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import structlog

from inference.core.calls import Call
from inference.core.contracts import TensorInput, VersionSpec
from inference.core.errors import CallCanceled, ModelFailed
from inference.engine.engine import Engine, local_engine
from inference.runtime.isolated_session import IsolatedSession
from tests.benchmarks.circumstances import circumstances
from tests.inference.runtime.graphs import save_adder, save_patient

ROUNDS = 7
"""Rounds of each way. The ways take turns, so that other work on the machine affects all of them."""
CALLS = 600
CALLERS = 64
CALLS_EACH = 40
NEIGHBORS = 8
NEIGHBOR_CALLS_EACH = 300
HOSTILE_MODELS = (1, 4)
WORK = TensorInput({"x": np.ones((1, 4), np.float32)})
PATIENT_WORK = TensorInput({"x": np.ones((1, 8), np.float32)})


@dataclass(frozen=True)
class Figures:
    p50_ms: float
    p99_ms: float
    calls_per_s: float
    processor_us: float
    """The processor time of a call, in this process and in the hosts."""


def main() -> None:
    structlog.configure(processors=[structlog.processors.KeyValueRenderer()], logger_factory=lambda *_: _Silent())
    print(circumstances())
    with tempfile.TemporaryDirectory() as folder:
        engine = local_engine()
        inside, hosted = (
            spec_of(save_adder(Path(folder, f"{name}.onnx")), isolated=name == "hosted")
            for name in ("inside", "hosted")
        )
        compare(engine, inside, hosted)
        start_times(engine, hosted)
        for count in HOSTILE_MODELS:
            beside_hostile(engine, inside, Path(folder), count)
            beside_hostile(engine, hosted, Path(folder), count)


class _Silent:
    def msg(self, *_args: object) -> None: ...

    debug = info = warning = error = critical = log = msg


def spec_of(path: Path, *, isolated: bool) -> VersionSpec:
    return VersionSpec(path.stem, 1, "digest", "onnx", {"weights": str(path)}, isolated=isolated)


def compare(engine: Engine, inside: VersionSpec, hosted: VersionSpec) -> None:
    for callers, each in ((1, CALLS), (CALLERS, CALLS_EACH)):
        found = in_turns(*(partial(times, engine, spec, callers, each) for spec in (inside, hosted)))
        report(f"{callers} callers", ("in the worker", "in its host"), found)


def in_turns(*ways: Callable[[], Figures]) -> list[list[Figures]]:
    """Return the figures of each way in all rounds but the first."""
    rounds = [[way() for way in ways] for _ in range(ROUNDS + 1)]
    return [list(column) for column in zip(*rounds[1:], strict=True)]


def report(what: str, names: tuple[str, str], found: list[list[Figures]]) -> None:
    print(f"{what} (medians of {ROUNDS} rounds)")
    for name, figures in zip(names, found, strict=True):
        p50, p99, rate, cost = (
            statistics.median(getattr(one, field) for one in figures)
            for field in ("p50_ms", "p99_ms", "calls_per_s", "processor_us")
        )
        print(f"  {name}: p50 {p50:.3f} ms, p99 {p99:.2f} ms, {rate:.0f}/s, {cost:.0f} us of processor time a call")
    first, second = found
    pairs = list(zip(first, second, strict=True))
    more_ms = statistics.median(two.p50_ms - one.p50_ms for one, two in pairs)
    slower = statistics.median(two.p99_ms / one.p99_ms for one, two in pairs)
    rate = statistics.median(two.calls_per_s / one.calls_per_s for one, two in pairs)
    print(f"  p50 {more_ms:+.3f} ms, p99 {slower:.2f}x, throughput {rate:.2f}x")


def times(engine: Engine, spec: VersionSpec, callers: int, each: int) -> Figures:
    taken: list[float] = []

    def call() -> None:
        own = []
        for _ in range(each):
            started_s = time.perf_counter()
            engine.answer(spec, WORK, {})
            own.append(time.perf_counter() - started_s)
        taken.extend(own)

    threads = [threading.Thread(target=call) for _ in range(callers)]
    started_s, before_s = time.perf_counter(), processor_s(engine)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole_s, count = time.perf_counter() - started_s, callers * each
    cost_us = (processor_s(engine) - before_s) / count * 1e6
    p50, p99 = np.percentile(np.array(taken) * 1e3, [50, 99])
    return Figures(float(p50), float(p99), count / whole_s, cost_us)


def processor_s(engine: Engine) -> float:
    """Return the processor time of this process, and of the hosts that can serve the measured calls."""
    nanoseconds = 0
    for session in engine.batchers.sessions():
        process = session._process if isinstance(session, IsolatedSession) else None
        if process is not None and session.name == "hosted@1":
            nanoseconds += int(Path(f"/proc/{process.pid}/schedstat").read_text().split()[0])
    return time.process_time() + nanoseconds / 1e9


def start_times(engine: Engine, spec: VersionSpec) -> None:
    """Print the time from an empty memory to the first answer, with a template that runs."""
    taken = []
    for _ in range(ROUNDS):
        while not engine.host.evict(spec.artifacts["weights"]):
            time.sleep(0.01)
        started_s = time.perf_counter()
        engine.answer(spec, WORK, {})
        taken.append(time.perf_counter() - started_s)
    print(f"start on demand to first answer: {statistics.median(taken) * 1e3:.0f} ms (largest {max(taken) * 1e3:.0f})")


def beside_hostile(engine: Engine, neighbor: VersionSpec, folder: Path, count: int) -> None:
    """Compare the neighbor's calls without and with hosts whose models never end."""
    hostile = [spec_of(save_patient(folder / f"endless-{number}.onnx"), isolated=True) for number in range(count)]
    for spec in hostile:
        engine.load(spec)
        save_patient(Path(spec.artifacts["weights"]), turns=2**62)
    for session in engine.batchers.sessions():
        # The next host of the file gets the graph that never ends, which no warm-up would get through.
        if isinstance(session, IsolatedSession) and session._process is not None and "endless" in session.name:
            session._process.end()

    def with_hostile() -> Figures:
        calls = [Call() for _ in hostile]
        threads = [
            threading.Thread(target=call_endless, args=(engine, spec, call))
            for spec, call in zip(hostile, calls, strict=True)
        ]
        for thread in threads:
            thread.start()
        time.sleep(0.2)
        figures = times(engine, neighbor, NEIGHBORS, NEIGHBOR_CALLS_EACH)
        for call in calls:
            call.cancel()
        for thread in threads:
            thread.join()
        time.sleep(0.5)
        return figures

    found = in_turns(lambda: times(engine, neighbor, NEIGHBORS, NEIGHBOR_CALLS_EACH), with_hostile)
    where = "in its host" if neighbor.isolated else "in the worker"
    report(f"{NEIGHBORS} callers of a model {where}", ("alone", f"with {count} looping"), found)


def call_endless(engine: Engine, spec: VersionSpec, call: Call) -> None:
    with suppress(ModelFailed, CallCanceled):
        engine.answer(spec, PATIENT_WORK, {}, call)


if __name__ == "__main__":
    main()
