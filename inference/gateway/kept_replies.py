"""Whole answers by the very bytes of their requests: what is sent again is neither read nor written again."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from uuid import UUID
from zlib import crc32

from inference.cache.metrics import MEMORY, calls
from inference.cache.s3_fifo import S3Fifo
from inference.cache.worth import Worth
from inference.contracts import Units
from inference.gateway.cache_wishes import CacheWish, cache_wish, hit_headers
from inference.gateway.exchange import Exchange
from inference.gateway.inference import Answered, note_use
from inference.gateway.known_results import KnownResults
from inference.gateway.replies import Reply
from inference.gateway.server_timing import Timings, timing_at_once
from inference.gateway.targets import Target

REPLY_BYTES = 1_000
"""What a reply takes beside its body, about."""
HEARD = (
    b"content-encoding",
    b"accept-encoding",
    b"inference-header-content-length",
)
"""Headers that answers depend on."""


@dataclass(frozen=True, slots=True)
class KeptReply:
    reply: Reply
    """Without what is said of this one call."""
    target: Target
    """As it was. What has been changed since shows by its digest."""
    reference: str
    """As the caller named the model."""
    units: Units
    written_s: float
    """Unix time."""

    def answers(self, target: Target, wish: CacheWish, now_s: float) -> bool:
        if target is not self.target and (target.digest, target.key) != (self.target.digest, self.target.key):
            return False
        return now_s - self.written_s < min(target.cache_ttl_s, wish.most_age_s)


class KeptReplies:
    """Of one event loop."""

    def __init__(self, known: KnownResults, memory_bytes: int) -> None:
        self._known = known
        self._memory: S3Fifo[KeptReply] = S3Fifo(memory_bytes)
        self._worth: Worth[tuple[UUID, str]] = Worth()

    async def raw(self, exchange: Exchange, body: bytes) -> "RawRequest | None":
        """None where nothing is to be looked for or kept."""
        wish = cache_wish(exchange.cache_control)
        if not wish.keeps:
            return None
        of = (exchange.identity.tenant_id, exchange.scope["path"])
        mark = await exchange.think(len(body), crc32, body)
        if not self._worth.looks(of, mark.to_bytes(4, "little")):
            return None
        holder = await self._known.holder(exchange)
        heard = [one for one in exchange.scope["headers"] if one[0] in HEARD]
        said = (holder.tenant_id.int, holder.generation, holder.livemode, exchange.scope["path"], heard)
        key = await exchange.think(len(body), _digest, repr(said).encode(), body)
        return RawRequest(key, wish, self._known, self._memory, partial(self._note_look, of))

    def _note_look(self, of: tuple[UUID, str], found: bool) -> None:
        self._worth.count(of, looked=1, found=int(found))


@dataclass(frozen=True, slots=True)
class RawRequest:
    key: bytes
    wish: CacheWish
    known: KnownResults
    memory: S3Fifo[KeptReply]
    note_look: Callable[[bool], None]

    def find(self) -> KeptReply | None:
        if not self.wish.reads:
            return None
        kept = self.memory.get(self.key, time.time())
        self.note_look(kept is not None)
        return kept

    async def answer(self, exchange: Exchange, kept: KeptReply, target: Target) -> Reply | None:
        """None where it does not answer any more. `target`: what the name stands for now."""
        now_s = time.time()
        if not kept.answers(target, self.wish, now_s):
            return None
        if exchange.admission is not None:
            await exchange.admission.enter_model(target.model)
        self.known.note_found(str(exchange.identity.tenant_id), target, 1)
        note_use(exchange, target, None, kept.units)
        calls(target.key, "hit").inc()
        reply = kept.reply
        said = (timing_at_once(at_once(exchange).total), *hit_headers(max(0.0, now_s - kept.written_s)))
        return Reply(reply.body, reply.content_type, reply.status, (*reply.headers, *said))

    def keep(self, exchange: Exchange, reference: str, answered: Answered, reply: Reply) -> None:
        """Once the use is written down. `reply` as it is without what is said of this one call."""
        outcome, target = answered.outcome, answered.target
        if not outcome.written_s:
            return
        kept = KeptReply(reply, target, reference, outcome.output.units, outcome.written_s)
        exchange.afterwards(partial(self._put, kept), len(reply.body))

    def _put(self, kept: KeptReply, written: bool) -> None:
        if written:
            ends_s = kept.written_s + kept.target.cache_ttl_s
            self.memory.put(self.key, kept, len(kept.reply.body) + REPLY_BYTES, ends_s)
            MEMORY.labels("replies").set(self.memory.used_bytes)


def at_once(exchange: Exchange) -> Timings:
    """Of what is answered without a run."""
    return Timings(0.0, 0.0, (time.monotonic() - exchange.whole_s) * 1000)


def _digest(said: bytes, body: bytes) -> bytes:
    """What is said has no line breaks of its own: Python writes them otherwise."""
    whole = sha256(said)
    whole.update(b"\n")
    whole.update(body)
    return whole.digest()
