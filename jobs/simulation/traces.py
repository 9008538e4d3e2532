"""Traces of a file: when requests came, to which pool, and how much work each was."""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import IO

import msgspec
import numpy as np

from inference.scaling.pool import Promise, Spike, Taming
from jobs.simulation.errors import SimulationRefused
from jobs.simulation.line import Numbers
from jobs.simulation.model_kinds import MB, ModelKind
from jobs.simulation.node_types import NodeType
from jobs.simulation.pool_run import PoolTrace
from jobs.simulation.scenarios import LONG_TICK_S, SPIKE_POOL, TICK_S, terms_of
from jobs.simulation.shapes import DAY_S
from jobs.simulation.trace_details import RowDetails, on_node

TIME_NAMES = ("at", "at_s", "time", "timestamp", "arrival", "arrival_s", "created_at")
WORK_NAMES = ("work_s", "service_s", "duration_s", "seconds")
POOL_NAMES = ("pool", "model")
"""A trace with models and without pools has a pool for each model, unless the models are described."""
EVERYTHING = "pool"
MAX_REQUESTS = 50_000_000
MAX_DAYS = 400
MANY_DAYS = 15
"""The days beyond which a policy looks less often."""
LATEST_S = 1e11
"""The seconds since 1970 beyond which no time can be meant: the year 5138. Today's milliseconds are more."""
Requests = tuple[list[float], list[float]]
"""The times and the work of requests."""


@dataclass(frozen=True, slots=True)
class TraceTerms:
    """The terms of all pools of a trace, which the trace does not name."""

    promise: Promise
    node: NodeType
    work_s: float | None = None
    """The work of a request whose row names none."""
    spike: Spike | None = None
    taming: Taming = SPIKE_POOL
    models: Mapping[str, ModelKind] | None = None
    """The models by name. With them, the models of a trace share their pool's replicas."""


def read_trace(path: Path, terms: TraceTerms) -> list[PoolTrace]:
    """Read a CSV file with a header, or JSON lines. Times are seconds or ISO 8601, in any order."""
    pools: dict[str, Requests] = {}
    details: dict[str, RowDetails] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for number, row in enumerate(_rows(file, path), 1):
                if number > MAX_REQUESTS:
                    raise SimulationRefused(f"{path.name} has more than {MAX_REQUESTS:,} requests")
                pool = _pool_of(row, terms)
                times, work = pools.setdefault(pool, ([], []))
                times.append(_time_of(row, number))
                work.append(_work_of(row, number, terms))
                details.setdefault(pool, RowDetails()).add(row, number, terms.models)
    except OSError as error:
        raise SimulationRefused(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SimulationRefused(f"{path} is not text in UTF-8") from error
    except csv.Error as error:
        raise SimulationRefused(f"{path.name} is not CSV: {error}") from error
    return traces_of(
        {name: (np.array(times), np.array(work)) for name, (times, work) in pools.items()}, terms, path.name, details
    )


def traces_of(
    pools: Mapping[str, tuple[Numbers, Numbers]],
    terms: TraceTerms,
    source: str,
    details: Mapping[str, RowDetails] = MappingProxyType({}),
) -> list[PoolTrace]:
    """Return traces of times and work by pool, in any order. Refuse those without requests or without end."""
    if not pools:
        raise SimulationRefused(f"{source} has no requests")
    begins_s = min(float(times.min()) for times, _ in pools.values())
    ends_s = max(float(times.max()) for times, _ in pools.values()) - begins_s
    if ends_s > MAX_DAYS * DAY_S:
        raise SimulationRefused(
            f"{source} lasts {ends_s / DAY_S:,.0f} days, and {MAX_DAYS} are simulated at most. "
            "Are all times in seconds, or all in ISO 8601?"
        )
    return [
        _as_trace(name, (times - begins_s, work), details.get(name), ends_s=ends_s, terms=terms)
        for name, (times, work) in sorted(pools.items())
    ]


def tick_of(traces: Sequence[PoolTrace]) -> float:
    """Return the seconds between two looks of a policy: with months, fewer looks."""
    return TICK_S if max(trace.ends_s for trace in traces) <= MANY_DAYS * DAY_S else LONG_TICK_S


def _as_trace(
    name: str, requests: tuple[Numbers, Numbers], details: RowDetails | None, *, ends_s: float, terms: TraceTerms
) -> PoolTrace:
    arrivals, work = requests
    order, node = np.argsort(arrivals, kind="stable"), terms.node
    kinds = None if terms.models is None else on_node(terms.models, node.speed)
    return PoolTrace(
        name,
        arrivals[order],
        work[order] / node.speed,
        terms_of(node, terms.promise, terms.taming, terms.spike),
        max(ends_s, 1.0),
        spot_losses_per_hour=node.spot_losses_per_hour,
        details=None if details is None else details.in_order(order, kinds, round(node.memory_mb * MB)),
    )


def _rows(file: IO[str], path: Path) -> Iterator[Mapping[str, object]]:
    start = file.read(1)
    file.seek(0)
    if start == "{":
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _json_row(line, number)
        return
    if start == "[":
        raise SimulationRefused(f"{path.name} is a JSON array. Write JSON lines: an object on each line")
    rows = csv.DictReader(file, skipinitialspace=True)
    names = rows.fieldnames = [name.strip() for name in rows.fieldnames or []]
    if not any(name in TIME_NAMES for name in names):
        raise SimulationRefused(
            f"{path.name} has no column of times. Its first line must name one of {', '.join(TIME_NAMES)}; "
            f"it names {', '.join(names) or 'nothing'}"
        )
    yield from rows


def _json_row(line: str, number: int) -> Mapping[str, object]:
    try:
        return msgspec.json.decode(line, type=dict[str, object])
    except msgspec.MsgspecError as error:
        raise SimulationRefused(f"line {number} is not a JSON object: {error}") from error


def _pool_of(row: Mapping[str, object], terms: TraceTerms) -> str:
    names = POOL_NAMES if terms.models is None else POOL_NAMES[:1]
    return str(next((row[name] for name in names if row.get(name) not in (None, "")), EVERYTHING))


def _time_of(row: Mapping[str, object], number: int) -> float:
    value = next((row[name] for name in TIME_NAMES if row.get(name) not in (None, "")), None)
    found = _number(value)
    if found is None and isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            moment = None
        if moment is not None:
            found = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if found is None:
        raise SimulationRefused(f"request {number} has no time: {value!r} is neither seconds nor ISO 8601")
    if abs(found) > LATEST_S:
        raise SimulationRefused(f"request {number}: the time {value!r} is not in seconds. Is it in milliseconds?")
    return found


def _work_of(row: Mapping[str, object], number: int, terms: TraceTerms) -> float:
    kind = (terms.models or {}).get(str(row.get("model")))
    if kind is not None and kind.batch is not None:
        return kind.batch.slot_s(terms.node.slots)
    otherwise_s = terms.work_s
    value = next((row[name] for name in WORK_NAMES if row.get(name) not in (None, "")), None)
    found = otherwise_s if value is None else _number(value)
    if found is None and value is None:
        raise SimulationRefused(f"request {number} has no {WORK_NAMES[0]}. Name the work of a request with --work-s")
    if found is None or found <= 0:
        raise SimulationRefused(f"request {number}: the work must be a number of seconds above 0, not {value!r}")
    return found


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except ValueError:
        return None
    return found if math.isfinite(found) else None
