"""What one use was, and how it is written into the stream."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

from tenants.billing.prices import Meter, Price

FORMAT = 2
"""The first byte. Whoever changes what follows takes the next number, and goes on reading the numbers before."""
WITHOUT_KEY = 1
"""The format that said neither whose key it was nor what the cache had saved; it may lie aside for long."""
_FIXED_ONCE = struct.Struct("<B16s16siqqqq?")
"""Format, id, tenant, version, quantity, price in micro-units, per how many, when, for real."""
_FIXED = struct.Struct("<B16s16siqqqq??16sq")
"""And whether it was known, the key (zeros for none), what was saved."""
_NO_KEY = UUID(int=0)
CALL = "call"
CACHE = "cache"
_BETWEEN_WORDS = "\0"
"""No text that Postgres takes has one."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Unreadable(ValueError):
    """No event that this version of the product understands; says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class MeterEvent:
    """`id` makes it count once, however often it is written or read."""

    id: UUID
    tenant_id: UUID
    source_kind: str
    """`call`: a synchronous one that a model ran for; `cache`: one, or the part of one, whose result was known."""
    model: str
    version: int
    quantity: int
    price: Price
    """As it was when the work was accepted."""
    livemode: bool
    at_ms: int
    """Unix time: the day that it counts to."""
    key_id: UUID | None = None
    """Whose budget it counts to, beside the tenant's."""
    cached: bool = False
    saved_micros: int = 0
    """What a run would have cost more than the known answer did."""

    @property
    def at(self) -> datetime:
        return _EPOCH + timedelta(milliseconds=self.at_ms)

    @property
    def amount_micros(self) -> int:
        """A test key's calls cost nothing."""
        return self.price.cost_micros(self.quantity) if self.livemode else 0


def write_event(event: MeterEvent) -> bytes:
    price = event.price
    fixed = _FIXED.pack(
        FORMAT,
        event.id.bytes,
        event.tenant_id.bytes,
        event.version,
        event.quantity,
        price.amount_micros,
        price.per,
        event.at_ms,
        event.livemode,
        event.cached,
        (event.key_id or _NO_KEY).bytes,
        event.saved_micros,
    )
    words = (event.source_kind, event.model, price.meter, price.currency)
    return fixed + _BETWEEN_WORDS.join(words).encode()


def read_event(written: bytes) -> MeterEvent:
    """Raises Unreadable."""
    if not written:
        raise Unreadable("there are no bytes of an event")
    read = {FORMAT: _read, WITHOUT_KEY: _read_without_key}.get(written[0])
    if read is None:
        raise Unreadable(f"it is of format {written[0]}, and this version of the product reads {FORMAT}")
    try:
        event = read(written)
        _ = event.at  # far outside the calendar there is no day to count it to
    except (struct.error, ValueError, OverflowError) as error:
        raise Unreadable(f"{len(written)} bytes are no event of format {written[0]}: {error}") from error
    if event.version < 0 or event.quantity < 0:
        raise Unreadable(f"version {event.version} or quantity {event.quantity} is negative")
    return event


def _read(written: bytes) -> MeterEvent:
    _, *fixed, cached, key, saved_micros = _FIXED.unpack_from(written)
    event = _event(fixed, written[_FIXED.size :])
    key_id = UUID(bytes=key)
    return replace(
        event, key_id=None if key_id == _NO_KEY else key_id, cached=cached, saved_micros=saved_micros
    )


def _read_without_key(written: bytes) -> MeterEvent:
    _, *fixed = _FIXED_ONCE.unpack_from(written)
    event = _event(fixed, written[_FIXED_ONCE.size :])
    return replace(event, cached=event.source_kind == CACHE)


def _event(fixed: Sequence[Any], words: bytes) -> MeterEvent:
    event_id, tenant_id, version, quantity, amount_micros, per, at_ms, livemode = fixed
    kind, model, meter, currency = words.decode().split(_BETWEEN_WORDS)
    return MeterEvent(
        id=UUID(bytes=event_id),
        tenant_id=UUID(bytes=tenant_id),
        source_kind=kind,
        model=model,
        version=version,
        quantity=quantity,
        price=Price(cast(Meter, meter), amount_micros, per, currency),
        livemode=livemode,
        at_ms=at_ms,
    )
