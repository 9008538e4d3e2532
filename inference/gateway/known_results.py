"""Answer from the result cache, run what is missing, and cache the new results. Callers who send the same request at
the same time share one run.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from inference.cache.entries import Found
from inference.cache.flights import Flights
from inference.cache.generations import Generations
from inference.cache.keys import Holder
from inference.cache.metrics import calls, texts
from inference.cache.parts import Texts, Whole, parts_of, size_bytes, whole
from inference.cache.result_cache import ResultCache, Shelf
from inference.cache.worth import Worth
from inference.core.calls import Call
from inference.core.contracts import Units, WorkRefused
from inference.core.errors import DeadlinePassed
from inference.gateway.cache_wishes import CacheNote, CacheWish
from inference.gateway.call_pools import pool_of_call
from inference.gateway.exchange import Exchange
from inference.gateway.outcomes import FreshRuns, Outcome, Question, ran
from inference.gateway.targets import Target
from inference.rpc import AsyncLaneClient
from inference.rpc.answers import LaneAnswer
from inference.rpc.works import LaneWork
from tenants.identity.identity import Identity

Key = bytes


class KnownResults:
    """The cache-aware way to answer calls. Each event loop has one."""

    def __init__(self, lane: AsyncLaneClient, cache: ResultCache, generations: Generations) -> None:
        self._lane = lane
        self._runs = FreshRuns(lane)
        self._cache = cache
        self._generations = generations
        self._worth: Worth[str] = Worth()
        self._flights: Flights[_Landing] = Flights()

    async def holder(self, exchange: Exchange) -> Holder:
        identity = exchange.identity
        generation = await self._generations.of(identity.tenant_id)
        return Holder(identity.tenant_id, generation, identity.livemode)

    def known_holder(self, identity: Identity) -> Holder | None:
        """Return the owner of the caller's results, or None if their generation has yet to be looked up."""
        generation = self._generations.known(identity.tenant_id)
        return None if generation is None else Holder(identity.tenant_id, generation, identity.livemode)

    def shelf_for(self, holder: Holder, target: Target, kind: str) -> Shelf:
        """Return where results of calls without parameters are kept that are not separated into parts."""
        return self._cache.shelf(holder, target.digest, {}, whole(kind), target.cache_ttl_s)

    def together(self, holder: Holder, asked: Question) -> Key | None:
        """Return the key by which equal calls of a holder share one run, or None if a text occurs in it twice, which
        runs once.
        """
        target = asked.target
        parts = parts_of(target.runtime, asked.work, asked.kind)
        shelf = self._cache.shelf(holder, target.digest, asked.parameters, parts.kind, target.cache_ttl_s)
        digests = parts.digests()
        return _together(shelf, asked, digests) if len(set(digests)) == len(digests) else None

    def looks(self, tenant: str, target: Target, digest: bytes) -> bool:
        """Return whether it is worthwhile to look for a result, and to keep it."""
        return self._worth.looks((tenant, target.key), digest)

    async def find(self, tenant: str, target: Target, shelf: Shelf, key: Key) -> Found | None:
        """Look for a result in this process, and then in the cache Redis."""
        (found,) = self._cache.remembered(shelf, [key], math.inf)
        if found is None:
            (found,) = await self._cache.fetched(shelf, [key], math.inf)
        self._worth.count((tenant, target.key), looked=1, found=int(found is not None))
        return found

    def keep(self, shelf: Shelf, key: Key, found: Found) -> None:
        """Keep a result that is paid for."""
        if not self._generations.is_over(shelf.tenant_id, shelf.generation):
            self._cache.keep(shelf, lambda: {key: found}, len(found.payload), dense=False, then=_nothing)

    def note_found(self, tenant: str, target: Target, count: int) -> None:
        """Count results that were found in this process without a look in Redis. They also show that looking is
        worthwhile.
        """
        self._worth.count((tenant, target.key), looked=count, found=count)

    async def outcome(self, exchange: Exchange, wish: CacheWish, asked: Question, *, deadline_s: float) -> Outcome:
        """Return the outcome of the call. Raises what the model or the RPC raises, and DeadlinePassed or ClientGone
        through the exchange.
        """
        target = asked.target
        if not target.cache_ttl_s or not wish.keeps:
            outcome = await self._runs.outcome(exchange, wish, asked, deadline_s=deadline_s)
        else:
            outcome = await self._outcome(exchange, wish, asked, deadline_s)
        calls(target.key, outcome.note.word.lower()).inc()
        return outcome

    async def _outcome(self, exchange: Exchange, wish: CacheWish, asked: Question, deadline_s: float) -> Outcome:
        holder = await self.holder(exchange)
        search = await exchange.think(size_bytes(asked.work), self._search, holder, asked, wish, exchange.turn)
        found: Mapping[Key, Found] = {}
        if wish.reads:
            found = self._remembered(search) if search.looks else found
            if search.looks and not search.is_whole(found) and not self._flights.is_under_way(search.flight):
                # Each caller looks for itself: it takes longer to start a run that others can join than to look.
                found = await self._looked(search, found)
            if search.is_whole(found):
                self.note_found(search.tenant, asked.target, len(found))
                return await exchange.think(search.size(found), search.hit, found)
        ends_s = time.monotonic() + deadline_s
        async with exchange.call(deadline_s):
            if not wish.shares:
                alone = await self._run_what_is_missing(exchange, search, found, ends_s)
                self._keep_afterwards(exchange, search, alone, _nothing)
                return alone.outcome
            while True:
                try:
                    landed = await self._flights.join(
                        search.flight,
                        lambda: self._run_what_is_missing(exchange, search, found, ends_s),
                        search.max_age_s,
                    )
                except DeadlinePassed:
                    # The deadline of the caller who began the run has passed, but this caller has time left.
                    if time.monotonic() >= ends_s - 0.01:
                        raise
                    continue
                if not landed.led:
                    return landed.value.outcome.for_one_who_joined()
                self._keep_afterwards(exchange, search, landed.value, landed.end)
                return landed.value.outcome

    def _search(self, holder: Holder, asked: Question, wish: CacheWish, turn: str) -> "_Search":
        target = asked.target
        parts = parts_of(target.runtime, asked.work, asked.kind)
        shelf = self._cache.shelf(holder, target.digest, asked.parameters, parts.kind, target.cache_ttl_s)
        digests = parts.digests()
        flight = _together(shelf, asked, digests)
        tenant = str(holder.tenant_id)
        looks = self._worth.looks((tenant, target.key), flight)
        keys = [shelf.key(digest) for digest in digests] if looks else digests
        return _Search(asked, parts, shelf, digests, keys, flight, wish, tenant, turn, looks)

    def _keep_afterwards(
        self, exchange: Exchange, search: "_Search", landing: "_Landing", then: Callable[[], None]
    ) -> None:
        """Cache the new results as soon as the run is paid for. `then` is called when the results can be found in the
        cache or are not to be cached; it ends the time in which others can join.
        """
        fresh = landing.fresh
        if fresh is None:
            then()
            return

        def keep(written: bool) -> None:
            shelf = search.shelf
            if written and not self._generations.is_over(shelf.tenant_id, shelf.generation):
                self._cache.keep(shelf, fresh.results, fresh.bytes, dense=search.parts.dense, then=then)
            else:
                then()

        exchange.afterwards(keep, fresh.bytes + size_bytes(search.asked.work))

    def _remembered(self, search: "_Search") -> dict[Key, Found]:
        unique = search.unique
        here = self._cache.remembered(search.shelf, unique, search.wish.max_age_s)
        return {key: one for key, one in zip(unique, here, strict=True) if one is not None}

    async def _looked(self, search: "_Search", here: Mapping[Key, Found]) -> Mapping[Key, Found]:
        """Return the results that are in this process or in the cache Redis."""
        missing = [key for key in search.unique if key not in here]
        there = await self._cache.fetched(search.shelf, missing, search.wish.max_age_s)
        return {**here, **{key: one for key, one in zip(missing, there, strict=True) if one is not None}}

    async def _run_what_is_missing(
        self, exchange: Exchange, search: "_Search", found: Mapping[Key, Found], ends_s: float
    ) -> "_Landing":
        """Run the missing parts for all callers who wait for the same. This continues even if the exchange that began
        it ends.
        """
        if search.looks and search.wish.reads:
            # Results that other callers have run in the meantime are used too.
            found = {**found, **self._remembered(search)}
            self._worth.count(search.of, looked=len(search.unique), found=len(found))
        if search.is_whole(found):
            return _Landing(await exchange.think(search.size(found), search.hit, found))
        return await self._run(exchange, search, found, ends_s)

    async def _run(
        self, exchange: Exchange, search: "_Search", found: Mapping[Key, Found], ends_s: float
    ) -> "_Landing":
        missing = search.missing(found)
        whole = len(missing) == len(search.keys)
        try:
            work = search.asked.work if whole else search.parts.only(missing)
            answer = await self._call(search, work, missing, ends_s)
        except WorkRefused:
            if whole:
                raise
            return await self._run_all(search, ends_s)
        keeps = search.looks and not answer.joined
        fresh = _Fresh(search, missing, answer, time.time())
        if whole:
            search.count(0)
            outcome = ran(answer, MISS, fresh.written_s if keeps else 0.0)
        else:
            results = await exchange.think(fresh.bytes, fresh.results)
            if not results:
                # A worker of an older version answered, which does not separate the texts.
                return await self._run_all(search, ends_s)
            outcome = search.partly(answer, {**found, **results}, len(missing), keeps=keeps)
        return _Landing(outcome.for_one_who_joined() if answer.joined else outcome, fresh if keeps else None)

    async def _run_all(self, search: "_Search", ends_s: float) -> "_Landing":
        """Run the work as it was sent. An error then names a refused text by its position in the caller's own list."""
        answer = await self._call(search, search.asked.work, range(len(search.keys)), ends_s)
        outcome = ran(answer, MISS)
        return _Landing(outcome.for_one_who_joined() if answer.joined else outcome)

    async def _call(self, search: "_Search", work: LaneWork, positions: Sequence[int], ends_s: float) -> LaneAnswer:
        """Send the work to a worker. Callers in other processes who send the same request share its run in the
        worker.
        """
        asked = search.asked
        same = search.flight
        if len(positions) < len(search.digests):
            same = _together(search.shelf, asked, [search.digests[position] for position in positions])
        call = Call(tenant=search.turn, deadline_s=ends_s)
        pool = await pool_of_call(asked.target)
        return await self._lane.call(
            pool.key,
            work,
            asked.parameters,
            call,
            coalesce=same.hex() if search.wish.shares else None,
            strategy=pool.strategy,
            pools=asked.target.call_pools,
        )


MISS = CacheNote("MISS")


@dataclass(frozen=True, slots=True)
class _Search:
    asked: Question
    parts: Texts | Whole
    shelf: Shelf
    digests: Sequence[bytes]
    """The digests of the parts, as they were sent."""
    keys: Sequence[Key]
    """The cache keys of the parts, or their digests if the cache is not searched."""
    flight: Key
    wish: CacheWish
    tenant: str
    turn: str
    """The fair-share name under which the run is sent. If callers share the run, it is the name of the first."""
    looks: bool
    """True if it is worthwhile to search the cache and to cache the result."""

    @property
    def of(self) -> tuple[str, str]:
        return self.tenant, self.asked.target.key

    @property
    def max_age_s(self) -> float:
        """Return the greatest age at which the caller accepts a shared result."""
        return min(self.shelf.ttl_s, self.wish.max_age_s) if self.wish.reads else 0.0

    @property
    def unique(self) -> Sequence[Key]:
        return self.keys if len(self.keys) == 1 else list(dict.fromkeys(self.keys))

    def is_whole(self, found: Mapping[Key, Found]) -> bool:
        return bool(found) and all(key in found for key in self.keys)

    def missing(self, found: Mapping[Key, Found]) -> list[int]:
        """Return the position of the first occurrence of each part that was not found."""
        if len(self.keys) == 1:
            return [0]
        first = {key: position for position, key in reversed(list(enumerate(self.keys)))}
        return sorted(position for key, position in first.items() if key not in found)

    def size(self, found: Mapping[Key, Found]) -> int:
        return sum(len(found[key].payload) for key in self.keys)

    def hit(self, found: Mapping[Key, Found]) -> Outcome:
        output = self.parts.output([found[key].payload for key in self.keys])
        written_s = min(one.written_s for one in found.values())
        count = len(self.keys)
        self.count(count)
        note = CacheNote("HIT", max(0.0, time.time() - written_s), count, count)
        return Outcome(output, None, output.units, note, written_s=written_s)

    def partly(self, answer: LaneAnswer, found: Mapping[Key, Found], run: int, *, keeps: bool) -> Outcome:
        """Return the outcome of a list of which some texts were cached, or occurred twice."""
        output = self.parts.output([found[key].payload for key in self.keys])
        ran_units = answer.output.units
        known = Units(
            tokens=output.units.tokens - ran_units.tokens,
            calls=0,
            device_us=output.units.device_us - ran_units.device_us,
        )
        count = len(self.keys)
        self.count(count - run)
        oldest_s = min(one.written_s for one in found.values()) if keeps else 0.0
        note = CacheNote("MISS", known=count - run, of=count)
        return Outcome(output, ran_units, known, note, answer.queue_ms, answer.run_ms, answer.spent, oldest_s)

    def count(self, known: int) -> None:
        if isinstance(self.parts, Texts):
            model = self.asked.target.key
            texts(model, "hit").inc(known)
            texts(model, "miss").inc(len(self.keys) - known)


@dataclass(frozen=True, slots=True)
class _Landing:
    """The answer to all callers who wait for the same run."""

    outcome: Outcome
    fresh: "_Fresh | None" = None
    """The results that are to be cached by the caller for whom they were run."""


@dataclass(frozen=True, slots=True)
class _Fresh:
    """The results that have just been run for these positions of the parts of a search."""

    search: _Search
    positions: Sequence[int]
    answer: LaneAnswer
    written_s: float

    @property
    def bytes(self) -> int:
        return len(self.answer.written)

    def results(self) -> dict[Key, Found]:
        """Return the results by cache key. The dict is empty if a worker of an older version answered, which does not
        separate the texts.
        """
        payloads = self.search.parts.payloads(self.answer, len(self.positions)) or []
        pairs = zip(self.positions, payloads, strict=False)
        return {self.search.keys[position]: Found(payload, self.written_s) for position, payload in pairs}


def _nothing() -> None:
    """Do nothing: no other caller could join this run."""


def _together(shelf: Shelf, asked: Question, digests: Sequence[bytes]) -> Key:
    """Return the key by which equal calls share one run. A single text is answered in another form than a list of one
    text, so the two have different keys.
    """
    shape = b"one" if getattr(asked.work, "single", False) else b"list"
    return sha256(b"".join((shelf.family.secret, shape, *digests))).digest()
