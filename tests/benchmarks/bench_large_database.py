"""Compare what requests and the nightly checks cost in a database of millions of pages with a small one.

Run from the repository's root: python -m tests.benchmarks.bench_large_database [pages] [calls a job] [rounds]. It
starts a PostgreSQL of its own. Both databases are on it and take turns, so that other work on the machine affects
both. Ten million pages take about 25 GB of disk. Two things are sampled: calls (10 a job) and texts (of every tenth
job).

The small database has 40,000 pages: an empty one would give no answers, which are cheaper than any.
"""

import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.large_database.database import LARGE, SMALL, large_database
from tests.benchmarks.large_database.filling import Size, sizes

PAGES, CALLS_A_JOB, ROUNDS = 10_000_000, 10, 200
WARM_UP = 10
GOAL = 1.3
NIGHTLY_GOAL_S = 60


@dataclass(slots=True)
class Costs:
    """The costs of one act in one database, a number for each round."""

    wall_ms: list[float] = field(default_factory=list)
    backend_ms: list[float] = field(default_factory=list)
    """Processor time of the server's processes: the time on a machine that does nothing else."""
    buffers: list[int] = field(default_factory=list)
    """Blocks that the database read, from its cache or not."""


def main() -> None:
    values = [int(value) for value in sys.argv[1:]]
    pages, calls, rounds = [*values, *(PAGES, CALLS_A_JOB, ROUNDS)[len(values) :]]
    print(circumstances(), flush=True)
    started = time.monotonic()
    with large_database(Size(pages, calls)) as database:
        print(f"{pages:,} pages written and indexed in {time.monotonic() - started:.0f} s")
        print(*sizes(database.superuser_url), sep="\n", flush=True)
        os.environ.update(database.environment, DJANGO_SETTINGS_MODULE="maas.settings")
        _measure(database.key, rounds)


def _measure(key: str, rounds: int) -> None:
    import django  # noqa: PLC0415  The settings exist only now.

    django.setup(set_prefix=False)
    from django.conf import settings  # noqa: PLC0415

    from maas.process.collector import settle_collector  # noqa: PLC0415
    from tests.benchmarks.large_database.hot_path import HotPath  # noqa: PLC0415

    settings.ALLOWED_HOSTS = ["*"]
    paths = {}
    for name in (SMALL, LARGE):
        with _database(name):
            paths[name] = HotPath(key)
    settle_collector()
    costs: dict[str, dict[str, Costs]] = defaultdict(lambda: {SMALL: Costs(), LARGE: Costs()})
    for number in range(rounds + WARM_UP):
        for name in sorted(paths, reverse=number % 2 == 1):
            path = paths[name]
            with _database(name):
                for act, do in path.acts():
                    _measure_act(do, costs[act][name], keep=number >= WARM_UP)
    _print(costs)
    for name, path in paths.items():
        with _database(name):
            _print_nightly(name, path.nightly)


@contextmanager
def _database(name: str) -> Iterator[None]:
    """Let all connections of this process lead to the database `name`. Each keeps its own, as in a product."""
    from django.db import connections  # noqa: PLC0415

    for connection in connections.all():
        _kept[connection.settings_dict["NAME"], connection.alias] = connection.connection
        connection.connection = _kept.get((name, connection.alias))
        connection.settings_dict["NAME"] = name
    yield


_kept: dict[tuple[str, str], object] = {}


def _measure_act(do: Callable[[], object], costs: Costs, *, keep: bool) -> None:
    busy_s, buffers, started = _busy_s(), _buffers(), time.perf_counter()
    do()
    wall_ms = 1000 * (time.perf_counter() - started)
    busy_ms = 1000 * (_busy_s() - busy_s)
    if keep:
        costs.wall_ms.append(wall_ms)
        costs.backend_ms.append(busy_ms)
        costs.buffers.append(_buffers() - buffers)


def _backends() -> Iterator[int]:
    from django.db import connections  # noqa: PLC0415

    for alias in ("default", "operator"):
        connections[alias].ensure_connection()
        yield connections[alias].connection.info.backend_pid


def _busy_s() -> float:
    """Return the processor time of the server's processes for this one. The kernel counts it in nanoseconds."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in _backends()) / 1e9


def _buffers() -> int:
    from django.db import connections  # noqa: PLC0415

    for alias in ("default", "operator"):
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT pg_stat_force_next_flush()")
    with connections["operator"].cursor() as cursor:
        cursor.execute("SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


def _print(costs: dict[str, dict[str, Costs]]) -> None:
    print("\n| | ms, small | large | ratio | ms of the database's processor, small | large | ratio", end="")
    print(" | buffers, small | large |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for act, by_name in costs.items():
        small, large = by_name[SMALL], by_name[LARGE]
        values = [act]
        for before, after in ((small.wall_ms, large.wall_ms), (small.backend_ms, large.backend_ms)):
            one, other = statistics.median(before), statistics.median(after)
            values += [f"{one:.2f}", f"{other:.2f}", f"x{other / one:.2f}{'' if other <= GOAL * one else ' !'}"]
        values += [f"{statistics.median(counted.buffers):.0f}" for counted in (small, large)]
        print(f"| {' | '.join(values)} |")
    print(f"The goal is x{GOAL}; ! is beyond it.")


def _print_nightly(name: str, nightly: Callable[[], int]) -> None:
    busy_s, started = _busy_s(), time.perf_counter()
    differences = nightly()
    took_s, busy_s = time.perf_counter() - started, _busy_s() - busy_s
    print(
        f"nightly checks, {'large' if name == LARGE else 'small'}: {took_s:.1f} s, database's processor "
        f"{busy_s:.1f} s, {differences} differences (goal {NIGHTLY_GOAL_S} s)",
        flush=True,
    )


if __name__ == "__main__":
    main()
