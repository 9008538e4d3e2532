"""One run: start, submit and strike, heal, look at everything, tell."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from maas.supervisor.console import Console

from .books import Books
from .cluster import WEBS, Cluster
from .faults import Faults, Struck
from .invariants import Broken, broken_promises
from .line import Line, to_port
from .load import Answers, Load
from .options import Options
from .owner import see_jobs
from .plan import STANDS_S, Fault, Wanted, plan_faults
from .recovery import Span, Waited, is_alone
from .rows import Progress, Rows

HEALS_S = 120.0
_LOOK_EVERY_S = 0.5
_MAX_ATTEMPTS = 3
"""MAAS_MAX_ATTEMPTS, which a run leaves at its default."""


@dataclass(frozen=True, slots=True)
class Verdict:
    books: Books
    broken: list[Broken]
    answers: Answers
    diary: list[Struck]
    waits: list[Waited]
    took_s: float


async def run(options: Options, home: Path, console: Console, say: Callable[[str], None]) -> Verdict:
    began = time.monotonic()
    async with Cluster(home, options, console) as cluster, _lines(cluster) as lines:
        say(f"two of each process are ready after {time.monotonic() - began:.0f} s")
        rows = Rows(cluster.services["MAAS_DATABASE_URL"], cluster.world["tenant_id"])
        urls = [f"http://127.0.0.1:{line.port}" for line in lines.values()]
        key = cluster.world["key"]
        load = Load(urls, key, seed=options.seed, jobs=options.jobs, callers=options.callers)
        faults = Faults(cluster, {**lines, **cluster.wires.lines}, load, rows, say)
        async with asyncio.TaskGroup() as both:
            both.create_task(load.run())
            both.create_task(faults.strike(_plan(options, cluster)))
        say(f"{len(load.answers.ids)} jobs are accepted; now it has to heal by itself")
        await cluster.until_ready(HEALS_S)
        say("every process says that it is ready")
        await _settle(rows, options.settle_s)
        say("the jobs have settled")
        books = await _books(rows, load.answers, urls, key)
        return Verdict(
            books=books,
            broken=broken_promises(books) + [Broken("odd answer", odd) for odd in load.answers.odd],
            answers=load.answers,
            diary=faults.diary,
            waits=await _waits(rows, faults.diary),
            took_s=time.monotonic() - began,
        )


@asynccontextmanager
async def _lines(cluster: Cluster) -> AsyncIterator[Mapping[str, Line]]:
    """Between callers and each web process."""
    lines = {name: Line(to_port(cluster.ports[name])) for name in WEBS}
    for line in lines.values():
        await line.open()
    try:
        yield lines
    finally:
        for line in lines.values():
            line.close()


def _plan(options: Options, cluster: Cluster) -> list[Fault]:
    wanted = Wanted(
        jobs=options.jobs,
        kills=options.kills,
        freezes=options.freezes,
        cuts=options.cuts,
        wipes=options.wipes,
        lease_s=options.lease_s,
        killed=cluster.killed,
        frozen=cluster.frozen,
        lines=WEBS,
        broker=options.broker,
        breaks=options.breaks,
        wires=tuple(cluster.wires.lines),
    )
    return plan_faults(options.seed, wanted)


async def _settle(rows: Rows, settle_s: float) -> None:
    """Until every job has ended, or nothing has happened for long."""
    last, moved_s = Progress(-1, -1), time.monotonic()
    while time.monotonic() - moved_s < settle_s:
        now = await rows.progress()
        if now.unfinished == 0:
            return
        if now != last:
            last, moved_s = now, time.monotonic()
        await asyncio.sleep(_LOOK_EVERY_S)


async def _books(rows: Rows, answers: Answers, urls: list[str], key: str) -> Books:
    accepted = sorted({job_id for ids in answers.ids.values() for job_id in ids})
    return Books(
        accepted=answers.ids,
        jobs=await rows.jobs(),
        seen=await see_jobs(urls, key, accepted),
        uses=await rows.uses(),
        day_micros=await rows.day_micros(),
        max_attempts=_MAX_ATTEMPTS,
        unanswered=answers.given_up,
    )


async def _waits(rows: Rows, diary: list[Struck]) -> list[Waited]:
    waits = []
    for struck in diary:
        others = [Span(one.at_s, one.over_s) for one in diary if one is not struck]
        for held in struck.held:
            again_s = await rows.taken_up_again_at(held)
            if again_s is not None:
                alone = is_alone(struck.at_s, again_s, others, STANDS_S)
                waits.append(Waited(again_s - struck.at_s, alone))
    return waits
