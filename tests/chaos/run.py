"""A single run: start, submit and strike, heal, check everything, report."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from maas.local.supervisor.console import Console

from .books import Books, Broken, Sync
from .cluster import PROCESSES, WEBS, Cluster
from .deliveries import broken_deliveries
from .disks import DISKS
from .faults import Faults, Struck
from .followers import Follower, SocketFollower, StreamFollower
from .invariants import broken_promises
from .line import Line, to_port
from .load import Answers, Load
from .options import Options
from .orders import Order, orders_of
from .owner import see_jobs, tenants_secret
from .plan import STANDS_S, Fault, Wanted, plan_faults
from .receiver import Receiver
from .recovery import Span, Waited, is_alone
from .requests import plain_id
from .rows import Progress, Rows
from .streams import broken_streams
from .window import Window

HEALS_S = 120.0
_DELIVERED_S = 400.0
"""The longest wait for deliveries. A message whose sender died waits for a lease of a minute; a message that failed
twice, for five.
"""
_CHARGED_S, _HEARD_S = 30.0, 30.0
_LOOK_EVERY_S = 0.5
_MAX_ATTEMPTS = 3
"""The default of MAAS_MAX_ATTEMPTS, which a run does not change."""


@dataclass(frozen=True, slots=True)
class Verdict:
    books: Books
    broken: list[Broken]
    answers: Answers
    diary: list[Struck]
    waits: list[Waited]
    took_s: float
    hooked: int = 0
    told: int = 0
    followed: str = ""


async def run(options: Options, home: Path, console: Console, say: Callable[[str], None]) -> Verdict:
    began = time.monotonic()
    orders = orders_of(options.seed, options.jobs, whole=not options.plain)
    async with (
        Cluster(home, options, console) as cluster,
        _lines(cluster) as lines,
        Receiver(options.seed) as receiver,
    ):
        say(f"two of each process are ready after {time.monotonic() - began:.0f} s")
        rows = Rows(cluster.services, cluster.world["tenant_id"])
        urls = [f"http://127.0.0.1:{line.port}" for line in lines.values()]
        key = cluster.world["key"]
        receiver.secret = await tenants_secret(urls[0], key)
        load = Load(urls, key, list(orders.values()), callers=options.callers, hook=receiver.url)
        faults = Faults(cluster, {**lines, **cluster.wires.lines}, load, rows, say)
        followers = [StreamFollower(urls, key), SocketFollower(urls, key)]
        async with _following(followers), _window(options, urls[0]) as window:
            async with asyncio.TaskGroup() as both:
                both.create_task(load.run())
                both.create_task(faults.strike(_plan(options, cluster)))
            say(f"{load.answers.done} orders are placed; now it has to heal by itself")
            await cluster.until_ready(HEALS_S)
            say("every process says that it is ready")
            await _settle(rows, options.settle_s)
            say("the jobs have settled")
            await _until(lambda: _no_delivery_waits(rows), _DELIVERED_S)
            await _until(lambda: _calls_are_charged(rows, load.answers), _CHARGED_S)
            forgets = options.broker == "redis" and options.wipes > 0
            books = await _books(rows, load.answers, orders, forgets=forgets)
            books = replace(books, seen=await see_jobs(urls, key, _accepted(load.answers)))
            await _until(lambda: _all_is_heard(followers, books), _HEARD_S)
            unseen = [] if window is None else await window.broken()
        hooked = {ids[0] for order, ids in load.answers.ids.items() if orders[order].hooked}
        broken = broken_promises(books) + [Broken("odd answer", odd) for odd in load.answers.odd]
        broken += broken_deliveries(hooked, books.jobs, receiver.told)
        broken += unseen
        if cluster.standby is not None and await cluster.standby.primary_accepts_writes():
            broken.append(Broken("two primaries", "the server that was replaced accepts writes again"))
        for one in followers:
            broken += broken_streams(one.name, one.heard, books.jobs)
        return Verdict(
            books=books,
            broken=broken,
            answers=load.answers,
            diary=faults.diary,
            waits=await _waits(rows, faults.diary),
            took_s=time.monotonic() - began,
            hooked=len(hooked),
            told=len(receiver.told),
            followed=", ".join(f"{one.name} of {one.times} connections" for one in followers),
        )


@asynccontextmanager
async def _following(followers: Sequence[Follower]) -> AsyncIterator[None]:
    """Run the body when all followers are connected, because events before that are not promised."""
    tasks = [asyncio.create_task(one.follow()) for one in followers]
    try:
        async with asyncio.timeout(HEALS_S):
            for one in followers:
                await one.ready.wait()
        yield
    finally:
        for task in tasks:
            task.cancel()


@asynccontextmanager
async def _window(options: Options, url: str) -> AsyncIterator[Window | None]:
    if not options.window:
        yield None
        return
    async with Window(url) as window:
        yield window


async def _until(look: Callable[[], Awaitable[bool]], timeout_s: float) -> None:
    """Wait until `look` is true, or until the timeout. The checks report what is missing then."""
    deadline = time.monotonic() + timeout_s
    while not await look() and time.monotonic() < deadline:  # noqa: ASYNC110  # Postgres sets no event
        await asyncio.sleep(_LOOK_EVERY_S)


async def _no_delivery_waits(rows: Rows) -> bool:
    return await rows.deliveries_pending() == 0


async def _calls_are_charged(rows: Rows, answers: Answers) -> bool:
    return await rows.calls_charged() >= answers.calls_answered


async def _all_is_heard(followers: Sequence[Follower], books: Books) -> bool:
    events = sum(len(job.events) for job in books.jobs.values())
    return all(len({(one.job_id, one.seq) for one in follower.heard}) >= events for follower in followers)


@asynccontextmanager
async def _lines(cluster: Cluster) -> AsyncIterator[Mapping[str, Line]]:
    """Yield the lines between callers and each web process."""
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
        jumps=options.jumps,
        clocks=PROCESSES,
        fills=options.fills,
        disks=tuple(DISKS),
        promotes=options.promotes,
    )
    return plan_faults(options.seed, wanted)


async def _settle(rows: Rows, settle_s: float) -> None:
    """Wait until every job has ended, or nothing has happened for long."""
    last, moved_s = Progress(-1, -1), time.monotonic()
    while time.monotonic() - moved_s < settle_s:
        now = await rows.progress()
        if now.unfinished == 0:
            return
        if now != last:
            last, moved_s = now, time.monotonic()
        await asyncio.sleep(_LOOK_EVERY_S)


def _accepted(answers: Answers) -> list[str]:
    return sorted({job_id for ids in answers.ids.values() for job_id in ids})


async def _books(rows: Rows, answers: Answers, orders: Mapping[str, Order], *, forgets: bool) -> Books:
    """Read the books. `forgets` means that the durable Redis was wiped."""
    return Books(
        accepted=answers.ids,
        jobs=await rows.jobs(),
        seen={},
        uses=await rows.uses(),
        day_micros=await rows.day_micros(),
        miscounted=await rows.miscounted(),
        money=await rows.money(),
        max_attempts=_MAX_ATTEMPTS,
        unanswered=answers.given_up,
        orders=orders,
        batches=await rows.batches(),
        accepted_batches={key: [plain_id(one) for one in ids] for key, ids in answers.batches.items()},
        calls=Sync(answers.calls_sent, answers.calls_answered, may_be_lost=forgets),
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
