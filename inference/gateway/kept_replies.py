"""Cache whole answers by the exact bytes of their requests: if a request is sent again, it is not parsed and its answer
is not serialized again.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from uuid import UUID
from zlib import crc32

from inference.cache.entries import Found
from inference.cache.keys import Holder
from inference.cache.metrics import MEMORY, calls
from inference.cache.result_cache import ResultCache, Shelf
from inference.cache.s3_fifo import S3Fifo
from inference.cache.terms import LONGEST_TTL_S
from inference.cache.worth import Worth
from inference.gateway.cache_wishes import CacheWish, cache_wish
from inference.gateway.exchange import Exchange
from inference.gateway.inference import Answered, note_use
from inference.gateway.known_results import KnownResults
from inference.gateway.replies import Reply
from inference.gateway.server_timing import Timings
from inference.gateway.targets import Target
from inference.gateway.written_replies import KeptReply, read_reply, write_reply

RAW = "maas.raw_request"
"""The scope key for the request as it was sent, if a reply to it has been looked for in vain. It is None if it is not
worthwhile to look.
"""
REPLY_BYTES = 1_000
"""The approximate memory that a reply takes besides its body."""
MAX_SHARED_BYTES = 64 << 10
"""The largest body of a reply that is kept in the cache Redis. For a larger one, only the result of its run is kept
there.
"""
KIND = "reply:1"
"""The kind under which replies are cached, which no kind of result shares. A release that writes replies in another
form changes the number, and older replies are then no longer used.
"""
HEARD = (
    b"content-encoding",
    b"accept-encoding",
    b"inference-header-content-length",
)
"""The request headers that the answer depends on."""


class KeptReplies:
    """The cached replies of one event loop."""

    def __init__(self, known: KnownResults, cache: ResultCache, memory_bytes: int) -> None:
        """Set up the cache. `memory_bytes` bounds the memory in this process. All other replies are stored where
        results are stored, and are erased with them.
        """
        self._known = known
        self._cache = cache
        self._memory: S3Fifo[KeptReply] = S3Fifo(memory_bytes)
        self._worth: Worth[UUID] = Worth()
        self._worth_asking: Worth[UUID] = Worth()
        """Says for which callers it is worthwhile to look in the cache Redis for replies that this process does not
        have. The look is useless if a body is never sent twice.
        """

    async def raw(self, exchange: Exchange, body: bytes) -> "RawRequest | None":
        """Return the raw request, or None if no reply is to be looked up or cached."""
        if RAW in exchange.scope:
            looked: RawRequest | None = exchange.scope[RAW]
            return looked
        wish = cache_wish(exchange.cache_control)
        if not wish.keeps:
            return None
        holder = await self._known.holder(exchange)
        scope = exchange.scope
        return await exchange.think(len(body), self.raw_of, holder, scope["path"], scope["headers"], body, wish)

    def raw_of(
        self, holder: Holder, path: str, headers: Iterable[tuple[bytes, bytes]], body: bytes, wish: CacheWish
    ) -> "RawRequest | None":
        """Return the raw request, or None if it is not worthwhile to look for a reply."""
        of = (holder.tenant_id, path)
        if not self._worth.looks(of, crc32(body).to_bytes(4, "little")):
            return None
        heard = [one for one in headers if one[0] in HEARD]
        said = (holder.tenant_id.int, holder.generation, holder.livemode, path, heard)
        return RawRequest(self, holder, of, _digest(repr(said).encode(), body), wish)

    async def find(self, raw: "RawRequest") -> KeptReply | None:
        if raw.looked or not raw.wish.reads:
            return None
        kept = self._memory.get(raw.key, time.time()) or await self._fetched(raw)
        if kept is None:
            self._worth.count(raw.of, looked=1, found=0)
        return kept

    def answers(self, raw: "RawRequest", kept: KeptReply, target: Target) -> bool:
        """Return whether the cached reply still answers the request. `target` is the version that the model's name
        stands for now.
        """
        same = (target.digest, target.key) == (kept.digest, kept.key)
        good = same and time.time() - kept.written_s < min(target.cache_ttl_s, raw.wish.max_age_s)
        self._worth.count(raw.of, looked=1, found=int(good))
        if not same:
            self._memory.drop(raw.key)
        return good

    def note_hit(self, raw: "RawRequest", target: Target) -> None:
        self._known.note_found(str(raw.holder.tenant_id), target, 1)
        calls(target.key, "hit").inc()

    def put(self, raw: "RawRequest", kept: KeptReply) -> None:
        self._remember(raw, kept)
        left_s = kept.written_s + kept.ttl_s - time.time()
        if left_s > 0 and len(kept.reply.body) <= MAX_SHARED_BYTES:
            shelf = self._shelf(raw.holder, left_s)
            written = Found(write_reply(kept), kept.written_s)
            self._cache.keep_alone(shelf, shelf.key(raw.key), written)

    async def _fetched(self, raw: "RawRequest") -> KeptReply | None:
        """Return a reply from the cache Redis, which another process or an earlier start of this one has stored. The
        look is made only for callers for whom such looks have found replies.
        """
        if not self._worth_asking.looks(raw.of, raw.key):
            return None
        shelf = self._shelf(raw.holder, LONGEST_TTL_S)
        found = await self._cache.fetched_alone(shelf, shelf.key(raw.key))
        kept = None if found is None else read_reply(found.payload, found.written_s)
        self._worth_asking.count(raw.of, looked=1, found=int(kept is not None))
        if kept is not None:
            self._remember(raw, kept)
        return kept

    def _remember(self, raw: "RawRequest", kept: KeptReply) -> None:
        size = len(kept.reply.body) + REPLY_BYTES
        self._memory.put(raw.key, kept, size, kept.written_s + kept.ttl_s)
        MEMORY.labels("replies").set(self._memory.used_bytes)

    def _shelf(self, holder: Holder, ttl_s: float) -> Shelf:
        return self._cache.shelf(holder, "", {}, KIND, ttl_s)


@dataclass(frozen=True, slots=True)
class RawRequest:
    """A request as it was sent, before any part of it is parsed."""

    replies: KeptReplies
    holder: Holder
    of: tuple[UUID, str]
    key: bytes
    wish: CacheWish
    looked: bool = False
    """True if a reply has been looked for in vain."""

    async def find(self) -> KeptReply | None:
        return await self.replies.find(self)

    async def answer(self, exchange: Exchange, kept: KeptReply, target: Target) -> Reply | None:
        """Return the cached reply, or None if it is no longer valid. `target` is the version that the model's name
        stands for now.
        """
        if not self.replies.answers(self, kept, target):
            return None
        exchange.identity.require_model(target.model)
        agreed = exchange.price_of(target.model, target.price, target.price_of_hits)
        price = agreed.cached_price
        await exchange.enter_model(target.model, price.currency, lambda: kept.most(target.model, price))
        self.replies.note_hit(self, target)
        note_use(exchange, target, None, kept.units)
        return kept.told(at_once(exchange).total)

    def keep(self, exchange: Exchange, reference: str, answered: Answered, reply: Reply) -> None:
        """Cache the reply as soon as the use is recorded. `reply` has none of the headers that are specific to this one
        call.
        """
        outcome, target = answered.outcome, answered.target
        if not outcome.written_s:
            return
        of = (target.key, target.digest, reference, outcome.output.units)
        kept = KeptReply(reply, *of, target.cache_ttl_s, outcome.written_s)
        exchange.afterwards(partial(self._put, kept), len(reply.body))

    def _put(self, kept: KeptReply, written: bool) -> None:
        if written:
            self.replies.put(self, kept)


def at_once(exchange: Exchange) -> Timings:
    """Return the timings of an answer that was made without a run."""
    return Timings(0.0, 0.0, (time.monotonic() - exchange.whole_s) * 1000)


def _digest(said: bytes, body: bytes) -> bytes:
    """Return the digest of the key's fields and the body. The line break separates them, because `said` is the `repr`
    of a tuple and contains none.
    """
    whole = sha256(said)
    whole.update(b"\n")
    whole.update(body)
    return whole.digest()
