"""What one use was, and how it is written into the stream."""

import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import cast
from uuid import UUID

from tenants.billing.prices import Meter, Price

FORMAT = 2
"""The first byte. Whoever changes what follows takes the next number, and goes on reading the numbers before."""
_FIXED = struct.Struct("<B16s16siqqqq?")
"""Format, id, tenant, version, quantity, price in micro-units, per how many, when, for real."""
_KEY_BYTES = {1: 0, FORMAT: 16}
"""Behind it, the key that asked; zeros for none."""
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
    )
    words = (event.source_kind, event.model, price.meter, price.currency)
    key = event.key_id.bytes if event.key_id else bytes(_KEY_BYTES[FORMAT])
    return fixed + key + _BETWEEN_WORDS.join(words).encode()


def read_event(written: bytes) -> MeterEvent:
    """Raises Unreadable."""
    if not written:
        raise Unreadable("there are no bytes of an event")
    if written[0] not in _KEY_BYTES:
        raise Unreadable(f"it is of format {written[0]}, and this version of the product reads {FORMAT}")
    try:
        event = _read(written)
        _ = event.at  # far outside the calendar there is no day to count it to
    except (struct.error, ValueError, OverflowError) as error:
        raise Unreadable(f"{len(written)} bytes are no event of format {written[0]}: {error}") from error
    if event.version < 0 or event.quantity < 0:
        raise Unreadable(f"version {event.version} or quantity {event.quantity} is negative")
    return event


def _read(written: bytes) -> MeterEvent:
    _, event_id, tenant_id, version, quantity, amount_micros, per, at_ms, livemode = _FIXED.unpack_from(
        written
    )
    words_from = _FIXED.size + _KEY_BYTES[written[0]]
    key = written[_FIXED.size : words_from]
    kind, model, meter, currency = written[words_from:].decode().split(_BETWEEN_WORDS)
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
        key_id=UUID(bytes=key) if any(key) else None,
    )
