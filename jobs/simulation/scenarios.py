"""Scenarios whose inputs are fixed, so that results of different days can be compared."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from inference.scaling.pool import PoolTerms, Promise, Spike, Taming
from jobs.simulation.node_types import NodeType
from jobs.simulation.pool_run import PoolTrace
from jobs.simulation.shapes import DAY_S, Diurnal, Rise, Work, arrivals

TICK_S = 15.0
"""Seconds between two looks of a policy, as KEDA and the autoscaler of Kubernetes do."""
LONG_TICK_S = 60.0
"""The same where weeks or months are simulated."""
MAX_SIMULATED = 2_500_000
"""The requests of a pool above which every second, third … one is simulated, on as many fewer replicas."""
LEAST_SIMULATED = 4
"""The replicas at the peak of a day below which no request is left out."""
LARGE_POOL = Taming(up_share=0.1, down_share=0.05)
"""Taming for a pool of dozens of replicas: a tenth more in two minutes, a twentieth fewer in five."""
SPIKE_POOL = Taming(up_share=20.0, down_share=0.1)
"""Taming for a pool that must absorb spikes: there is no limit that a spike would meet."""
OCR_PAGE_S, OCR_SPREAD = 2.0, 0.7
"""The mean seconds and the spread of a scan of any kind through `ocr` on one core (bench_documents)."""


@dataclass(frozen=True, slots=True)
class Part:
    """The traffic of one pool of a scenario."""

    name: str
    node: str
    shape: Diurnal
    work: Work
    promise: Promise
    taming: Taming = LARGE_POOL
    rises: tuple[Rise, ...] = ()
    spike: Spike | None = None
    start_s: float | None = None
    load_s: float | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    about: str
    days: float
    parts: tuple[Part, ...]
    tick_s: float = TICK_S
    mean_answer_s: float | None = None
    """The mean time to an answer that is promised, if that is what is promised."""

    @property
    def nodes(self) -> set[str]:
        return {part.node for part in self.parts}

    def traces(self, node_types: Mapping[str, NodeType], *, node: str | None = None, seed: int = 1) -> list[PoolTrace]:
        """Return the requests of each pool, on the node types of the scenario or on one of the caller's choice."""
        return [
            _trace(part, self.days * DAY_S, node_types, node or part.node, seed + number)
            for number, part in enumerate(self.parts)
        ]


def _trace(part: Part, ends_s: float, node_types: Mapping[str, NodeType], name: str, seed: int) -> PoolTrace:
    rng = np.random.default_rng(seed)
    kind = node_types[name]
    if part.start_s is not None and name == part.node:
        kind = replace(kind, start_s=part.start_s, load_s=part.load_s or 0.0)
    one_in = _one_in(part, ends_s)
    times = arrivals(part.shape, ends_s, rng, part.rises, one_in=one_in)
    work = replace(part.work, mean_s=part.work.mean_s / kind.speed).draw(len(times), rng)
    return PoolTrace(
        part.name,
        times,
        work,
        terms_of(kind, part.promise, part.taming, part.spike),
        ends_s,
        one_in,
        kind.spot_losses_per_hour,
    )


def _one_in(part: Part, ends_s: float) -> int:
    """Return which share of the requests is simulated, so that the pool stays large enough to behave like the whole."""
    shape = part.shape
    replicas = shape.mean_per_s * shape.peak * part.work.mean_s
    return max(1, min(round(shape.mean_per_s * ends_s / MAX_SIMULATED), int(replicas / LEAST_SIMULATED)))


def terms_of(kind: NodeType, promise: Promise, taming: Taming, spike: Spike | None = None) -> PoolTerms:
    return PoolTerms(
        promise,
        price_per_hour=kind.price_per_hour,
        node_start_s=kind.start_s,
        load_s=kind.load_s,
        slots=kind.slots,
        most=10_000,
        taming=taming,
        spike=spike,
    )


def _founding() -> Scenario:
    part = Part("l4", "l4", Diurnal(1_400_000 / DAY_S), Work(3.5), Promise(0.95, 30), start_s=180, load_s=40)
    return Scenario("founding", "1.4 million requests a day, each 3.5 s of an L4", 1, (part,))


def _diurnal_spike() -> Scenario:
    part = Part(
        "pool",
        "l4",
        Diurnal(40_000 / 3600),
        Work(0.5),
        Promise(0.99, 60),
        SPIKE_POOL,
        (Rise(50_400, 600, 10),),
        Spike(10),
        start_s=120,
        load_s=20,
    )
    return Scenario("diurnal-spike", "40,000 requests an hour, and ten times as many for ten minutes", 1, (part,))


def _embeddings() -> Scenario:
    days = 60
    # A policy knows no mean. So many may wait longer, at the spikes, that the mean stays within its 70 ms.
    rises = tuple(Rise((day + 0.31 + 0.13 * (day % 5)) * DAY_S, 600, 20) for day in range(2, days, 7))
    part = Part(
        "embed", "cpu", Diurnal(10_000_000 / days / DAY_S), Work(0.015, 0.5), Promise(0.992, 0.055), SPIKE_POOL, rises
    )
    return Scenario(
        "embeddings",
        "10 million embeddings in 60 days, with spikes of twenty times as many each week",
        days,
        (replace(part, spike=Spike(20, per_day=1 / 7)),),
        tick_s=LONG_TICK_S,
        mean_answer_s=0.070,
    )


def _scans() -> Scenario:
    part = Part("pages", "cpu", Diurnal(1_400_000 / DAY_S), Work(OCR_PAGE_S, OCR_SPREAD), Promise(0.95, 60))
    return Scenario("scans", "1.4 million scanned pages a day, read on CPUs", 1, (part,))


def _hundred_million() -> Scenario:
    def part(name: str, node: str, a_day: float, work: Work, promise: Promise) -> Part:
        return Part(name, node, Diurnal(a_day / DAY_S), work, promise)

    return Scenario(
        "hundred-million",
        "100 million requests a day of mixed work",
        1,
        (
            part("embed", "cpu", 80e6, Work(0.015, 0.5), Promise(0.99, 1)),
            part("classify", "cpu", 15e6, Work(0.08, 0.5), Promise(0.99, 2)),
            part("pages", "cpu", 4.5e6, Work(OCR_PAGE_S, OCR_SPREAD), Promise(0.95, 60)),
            part("l4", "l4", 0.5e6, Work(3.5), Promise(0.95, 30)),
        ),
    )


SCENARIOS: Mapping[str, Callable[[], Scenario]] = {
    "founding": _founding,
    "diurnal-spike": _diurnal_spike,
    "embeddings": _embeddings,
    "scans": _scans,
    "hundred-million": _hundred_million,
}
