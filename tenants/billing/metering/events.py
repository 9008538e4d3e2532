"""What one use was, and how it is written into the stream."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, cast
from uuid import UUID

from tenants.plans.prices import Meter, Price

FORMAT = 2
"""The first byte. Whoever changes what follows takes the next number, and goes on reading the numbers before."""
COVERED = 3
"""The same with how many units were set aside for it; written where there are some."""
WITHOUT_KEY = 1
"""The format that said neither whose key it was nor what the cache had saved; it may lie aside for long."""
_FIXED_ONCE = struct.Struct("<B16s16siqqqq?")
"""Format, id, tenant, version, quantity, price in micro-units, per how many, when, for real."""
_FIXED = struct.Struct("<B16s16siqqqq??16sq")
"""And whether it was known, the key (zeros for none), what was saved."""
_FIXED_COVERED = struct.Struct("<B16s16siqqqq??16sqqq")
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
    covered: int = 0
    """So many of its units are included and were set aside for it, of those for its model: nobody else has them."""
    covered_of_all: int = 0
    """The same, of those for all models."""

    @property
    def at(self) -> datetime:
        return _EPOCH + timedelta(milliseconds=self.at_ms)

    @property
    def amount_micros(self) -> int:
        """A test key's calls cost nothing."""
        return self.price.cost_micros(self.quantity) if self.livemode else 0

    @property
    def covered_micros(self) -> int:
        """Rounded down: what is not covered is never charged too little."""
        covered = self.covered + self.covered_of_all
        return self.amount_micros * covered // self.quantity if covered else 0

    @property
    def to_pay_micros(self) -> int:
        return self.amount_micros - self.covered_micros


def with_covered(uses: Sequence[MeterEvent], units: int, of_all: int) -> list[MeterEvent]:
    """What is dearest first; what costs nothing needs none."""
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
    """Raises Unreadable."""
    if not written:
        raise Unreadable("there are no bytes of an event")
    read = {COVERED: _read_covered, FORMAT: _read, WITHOUT_KEY: _read_without_key}.get(written[0])
    if read is None:
        raise Unreadable(f"it is of format {written[0]}, and this version of the product reads {COVERED}")
    try:
        event = read(written)
        _ = event.at  # far outside the calendar there is no day to count it to
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
