"""Serialize a whole reply, so that it outlasts the process that made it."""

import time
from dataclasses import dataclass

from inference.core.charging import charged
from inference.core.contracts import Units
from inference.gateway.cache_wishes import hit_headers
from inference.gateway.replies import Reply
from inference.gateway.server_timing import timing_at_once
from inference.rpc.errors import MessageMalformed
from inference.rpc.frames import pack, unpack
from tenants.billing.ledger.headroom import Most
from tenants.plans.prices import Price


@dataclass(frozen=True, slots=True)
class KeptReply:
    reply: Reply
    """The reply without the headers that are specific to one call."""
    key: str
    """The key of the version that answered."""
    digest: str
    """The digest of that version, which shows whether the version has been changed since."""
    reference: str
    """The model's name as the caller sent it."""
    units: Units
    ttl_s: float
    """The lifetime of the reply, counted from `written_s`."""
    written_s: float
    """The Unix time at which the result was computed."""

    def most(self, model: str, price: Price) -> Most:
        """Return the most that this answer can cost, which is what it costs."""
        quantity = charged(self.units, price.meter)
        return Most(price.cost_micros(quantity), model, price.meter, quantity)

    def told(self, total_ms: float) -> Reply:
        """Return the reply with the headers that are specific to this call."""
        reply, age_s = self.reply, max(0.0, time.time() - self.written_s)
        headers = (*reply.headers, timing_at_once(total_ms), *hit_headers(age_s))
        return Reply(reply.body, reply.content_type, reply.status, headers)


def write_reply(kept: KeptReply) -> bytes:
    """Serialize the reply without its time, which the cache entry has."""
    reply, units = kept.reply, kept.units
    headers = [[name.decode("latin-1"), value.decode("latin-1")] for name, value in reply.headers]
    said = [reply.content_type, reply.status, headers]
    of = [kept.key, kept.digest, kept.reference]
    return pack(
        {
            "reply": said,
            "of": of,
            "units": [units.pages, units.tokens, units.calls],
            "device_us": units.device_us,
            "ttl": kept.ttl_s,
        },
        [reply.body],
    )


def read_reply(payload: bytes, written_s: float) -> KeptReply | None:
    """Return the reply, or None if another version of this product wrote it in a different form."""
    try:
        header, (body,) = unpack(payload)
        content_type, status, headers = header["reply"]
        key, digest, reference = header["of"]
        pages, tokens, calls = header["units"]
        units = Units(pages, tokens, calls, int(header.get("device_us", 0)))
        ttl_s = float(header["ttl"])
        named = tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in headers)
    except (MessageMalformed, LookupError, TypeError, ValueError, AttributeError):
        return None
    reply = Reply(bytes(body), content_type, status, named)
    return KeptReply(reply, key, digest, reference, units, ttl_s, written_s)
