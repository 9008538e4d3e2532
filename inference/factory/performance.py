"""Measures load time, memory, latency and throughput of a file beside its source, in turns on the same machine.

The two files run by turns, so that other work on the machine slows both. Medians are reported.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from inference.core.calls import Call
from inference.factory.comparing import Progress
from inference.factory.report import Performance
from inference.factory.samples import Feeds, Sample, cut
from inference.factory.sessions import OpenSession, Session, UsedBytes, opened, run_for, used_here
from inference.runtime.session import weight_bytes

Each = TypeVar("Each")
CALLERS = 64
LOADS = 3
WARM_UPS = 3
MIN_ROUNDS = 5
MAX_ROUNDS = 300
BUDGET_S = 20.0
"""Seconds for all measurements of a pair of files. At least `MIN_ROUNDS` runs are made of each."""


@dataclass(frozen=True, slots=True)
class Load:
    """The inputs to measure with."""

    alone: Feeds
    """The inputs of a single caller."""
    company: Sequence[Feeds]
    """The runs of a company of callers: one batch of their rows, or a run for each caller."""
    rows: int
    """The number of rows of all callers together."""

    @property
    def in_words(self) -> str:
        return f"a batch of {self.rows} rows" if len(self.company) == 1 else f"{len(self.company)} callers"


def load_of(samples: Sequence[Sample], rows_are_free: bool) -> Load:
    """Return the inputs of callers that each send one row. They share a batch if the model's rows are free."""
    units = [unit for sample in samples for unit in (cut(sample.feeds) if rows_are_free else (sample.feeds,))]
    same = [unit for unit in units[: 4 * CALLERS] if _shapes(unit) == _shapes(units[0])]
    many = [same[number % len(same)] for number in range(CALLERS)]
    return Load(many[0], [_joined(many)] if rows_are_free else many, CALLERS)


def _joined(rows: Sequence[Feeds]) -> Feeds:
    return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}


def _shapes(feeds: Feeds) -> dict[str, tuple[int, ...]]:
    return {name: value.shape for name, value in feeds.items()}


@dataclass(slots=True)
class _Side:
    path: Path
    load_s: list[float] = field(default_factory=list)
    memory_bytes: int = 0
    alone_s: list[float] = field(default_factory=list)
    company_s: list[float] = field(default_factory=list)
    """The latency of each caller."""
    rounds_s: list[float] = field(default_factory=list)
    """The time until all callers of a round were answered."""


def measure_performance(
    source: Path,
    variant: Path,
    load: Load,
    *,
    open_session: OpenSession,
    used_bytes: UsedBytes = used_here,
    budget_s: float = BUDGET_S,
    progress: Progress,
    call: Call,
) -> tuple[Performance, Performance]:
    """Return the figures of the source and of the variant."""
    sides = (_Side(source), _Side(variant))
    progress(0.0, "measuring load time and memory")
    for number in range(LOADS):
        for side in _in_turn(sides, number):
            _load(side, load, open_session, used_bytes, call, with_memory=number == 0)
    with ExitStack() as stack, ThreadPoolExecutor(max(1, len(load.company))) as callers:
        sessions = [(side, stack.enter_context(opened(side.path, open_session))) for side in sides]
        for _, session in sessions:
            _warm_up(session, load, call)
        progress(0.3, "measuring one caller alone")
        for turn in _rounds(sessions, budget_s / 2):
            for side, session in turn:
                side.alone_s.append(_timed(session, load.alone, call))
        progress(0.6, f"measuring {load.in_words}")
        for turn in _rounds(sessions, budget_s / 2):
            for side, session in turn:
                _run_company(side, session, load, callers, call)
    progress(1.0, "measured")
    return _figures(sides[0], load), _figures(sides[1], load)


def _in_turn(sides: Sequence[Each], number: int) -> Sequence[Each]:
    """Return the sides in an order that changes with each round, so that neither always runs first."""
    return sides if number % 2 == 0 else sides[::-1]


def _rounds(sessions: Sequence[tuple[_Side, Session]], budget_s: float) -> Iterator[Sequence[tuple[_Side, Session]]]:
    ends_s = time.perf_counter() + budget_s
    for number in range(MAX_ROUNDS):
        if number >= MIN_ROUNDS and time.perf_counter() >= ends_s:
            return
        yield _in_turn(sessions, number)


def _load(
    side: _Side, load: Load, open_session: OpenSession, used_bytes: UsedBytes, call: Call, *, with_memory: bool
) -> None:
    call.check()
    before_bytes, started_s = used_bytes(None), time.perf_counter()
    with opened(side.path, open_session) as session:
        side.load_s.append(time.perf_counter() - started_s)
        if with_memory:
            _warm_up(session, load, call)
            side.memory_bytes = max(0, used_bytes(session) - before_bytes)


def _warm_up(session: Session, load: Load, call: Call) -> None:
    for _ in range(WARM_UPS):
        run_for(call, session, load.alone)
    run_for(call, session, load.company[0])


def _run_company(side: _Side, session: Session, load: Load, callers: ThreadPoolExecutor, call: Call) -> None:
    started_s = time.perf_counter()
    if len(load.company) == 1:
        side.company_s.append(_timed(session, load.company[0], call))
    else:
        side.company_s += callers.map(lambda feeds: _timed(session, feeds, call), load.company)
    side.rounds_s.append(time.perf_counter() - started_s)


def _timed(session: Session, feeds: Feeds, call: Call) -> float:
    started_s = time.perf_counter()
    run_for(call, session, feeds)
    return time.perf_counter() - started_s


def _figures(side: _Side, load: Load) -> Performance:
    return Performance(
        file_bytes=weight_bytes(side.path),
        load_s=float(np.median(side.load_s)),
        memory_bytes=side.memory_bytes,
        alone_p50_ms=_quantile_ms(side.alone_s, 0.5),
        alone_p99_ms=_quantile_ms(side.alone_s, 0.99),
        company_p50_ms=_quantile_ms(side.company_s, 0.5),
        company_p99_ms=_quantile_ms(side.company_s, 0.99),
        rows_per_s=load.rows / float(np.median(side.rounds_s)),
        company=load.in_words,
    )


def _quantile_ms(seconds: Sequence[float], share: float) -> float:
    return 1000 * float(np.quantile(seconds, share))
