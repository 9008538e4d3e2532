"""A usage event and its format in the stream."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, cast
from uuid import UUID

from tenants.plans.prices import Meter, Price

FORMAT = 2
"""The first byte of an event. A change to the rest of the format takes the next number, and older numbers must stay
readable.
"""
COVERED = 3
"""The same format plus the number of units that were set aside for the event. It is written only if there are some."""
WITHOUT_KEY = 1
"""An older format, without the key and without the amount that the cache saved. Such events may stay set aside for a
long time.
"""
_FIXED_ONCE = struct.Struct("<B16s16siqqqq?")
"""Format, id, tenant, version, quantity, price in micro-units, units per price, time, livemode."""
_FIXED = struct.Struct("<B16s16siqqqq??16sq")
"""The same, then whether it was a cache hit, the key (zeros for none), and the saved amount."""
_FIXED_COVERED = struct.Struct("<B16s16siqqqq??16sqqq")
_NO_KEY = UUID(int=0)
CALL = "call"
CACHE = "cache"
_BETWEEN_WORDS = "\0"
"""The separator between texts. Postgres accepts no text that contains it."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Unreadable(ValueError):
    """The error for bytes that this version of the product cannot read as an event. Its message says what is wrong."""


@dataclass(frozen=True, slots=True)
class MeterEvent:
    """A usage event. Its `id` makes it count once, however often it is written or read."""

    id: UUID
    tenant_id: UUID
    source_kind: str
    """The kind of work: `call` for a synchronous call that ran a model, `cache` for a call, or part of one, that was a
    cache hit.
    """
    model: str
    version: int
    quantity: int
    price: Price
    """The price at the time the work was accepted."""
    livemode: bool
    at_ms: int
    """Unix time in milliseconds. It decides the day that the event counts for."""
    key_id: UUID | None = None
    """The key whose budget the event counts against, beside the tenant's budget."""
    cached: bool = False
    saved_micros: int = 0
    """The cost of a run minus the cost of the cache hit."""
    covered: int = 0
    """The number of its units that are included and were set aside for it, from the pool of its model. No other work
    can use them.
    """
    covered_of_all: int = 0
    """The same, from the pool for all models."""

    @property
    def at(self) -> datetime:
        return _EPOCH + timedelta(milliseconds=self.at_ms)

    @property
    def amount_micros(self) -> int:
        """Return the cost. Calls of a test key cost nothing."""
        return self.price.cost_micros(self.quantity) if self.livemode else 0

    @property
    def covered_micros(self) -> int:
        """Return the cost of the covered units, rounded down, so that the uncovered units are never charged too
        little.
        """
        covered = self.covered + self.covered_of_all
        return self.amount_micros * covered // self.quantity if covered else 0

    @property
    def to_pay_micros(self) -> int:
        return self.amount_micros - self.covered_micros


def with_covered(uses: Sequence[MeterEvent], units: int, of_all: int) -> list[MeterEvent]:
    """Distribute the covered units over the uses, the most expensive first. Free uses get none."""
    turns = sorted(range(len(uses)), key=lambda place: -_each(uses[place]))
    found = list(uses)
    for place in turns:
        quantity = uses[place].quantity if uses[place].amount_micros else 0
        part = min(units, quantity)
        rest = min(of_all, quantity - part)
        found[place] = replace(uses[place], covered=part, covered_of_all=rest)
        units, of_all = units - part, of_all - rest
    return found


def _each(use: MeterEvent) -> Fraction:
    return Fraction(use.price.amount_micros, use.price.per)


def write_event(event: MeterEvent) -> bytes:
    price = event.price
    values = (
        COVERED if event.covered or event.covered_of_all else FORMAT,
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
    if values[0] == COVERED:
        fixed = _FIXED_COVERED.pack(*values, event.covered, event.covered_of_all)
    else:
        fixed = _FIXED.pack(*values)
    words = (event.source_kind, event.model, price.meter, price.currency)
    return fixed + _BETWEEN_WORDS.join(words).encode()


def read_event(written: bytes) -> MeterEvent:
    """Decode an event. Raises Unreadable."""
    if not written:
        raise Unreadable("there are no bytes of an event")
    read = {COVERED: _read_covered, FORMAT: _read, WITHOUT_KEY: _read_without_key}.get(written[0])
    if read is None:
        raise Unreadable(f"it is of format {written[0]}, and this version of the product reads {COVERED}")
    try:
        event = read(written)
        _ = event.at  # a time outside the calendar has no day to count for
    except (struct.error, ValueError, OverflowError) as error:
        raise Unreadable(f"{len(written)} bytes are no event of format {written[0]}: {error}") from error
    if event.version < 0 or event.quantity < 0:
        raise Unreadable(f"version {event.version} or quantity {event.quantity} is negative")
    covered = (event.covered, event.covered_of_all)
    if min(covered) < 0 or sum(covered) > event.quantity:
        raise Unreadable(f"of {event.quantity} units {covered[0]} and {covered[1]} cannot be covered")
    return event


def _read_covered(written: bytes) -> MeterEvent:
    *values, covered, of_all = _FIXED_COVERED.unpack_from(written)
    event = _read_values(values, written[_FIXED_COVERED.size :])
    return replace(event, covered=covered, covered_of_all=of_all)


def _read(written: bytes) -> MeterEvent:
    return _read_values(_FIXED.unpack_from(written), written[_FIXED.size :])


def _read_values(values: Sequence[Any], words: bytes) -> MeterEvent:
    _, *fixed, cached, key, saved_micros = values
    event = _event(fixed, words)
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
