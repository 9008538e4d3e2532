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
"""The first byte of an event. Another format takes the next number, and older ones must stay readable."""
COVERED = 3
"""The same format plus the number of units that were set aside for the event. It is written only if there are some."""
WITHOUT_KEY = 1
"""An older format, without key and saved amount. Such events may stay set aside for a long time."""
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
    """`call` for a synchronous call that ran a model, `cache` for a call, or part of one, that was a cache hit."""
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
    """The number of its units that were set aside for it alone, from the pool of its model."""
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
        """Return the cost of the covered units, rounded down, so that the rest is never charged too little."""
        covered = self.covered + self.covered_of_all
        return self.amount_micros * covered // self.quantity if covered else 0

    @property
    def to_pay_micros(self) -> int:
        return self.amount_micros - self.covered_micros


def with_covered(uses: Sequence[MeterEvent], units: int, of_all: int) -> list[MeterEvent]:
    """Distribute the covered units over the uses, the most expensive first. Free uses get none."""
    found = list(uses)
    each = [Fraction(use.price.amount_micros, use.price.per) for use in uses]
    for position in sorted(range(len(uses)), key=lambda position: -each[position]):
        quantity = uses[position].quantity if uses[position].amount_micros else 0
        part = min(units, quantity)
        rest = min(of_all, quantity - part)
        found[position] = replace(uses[position], covered=part, covered_of_all=rest)
        units, of_all = units - part, of_all - rest
    return found


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
    covered = (event.covered, event.covered_of_all)
    fixed = _FIXED_COVERED.pack(*values, *covered) if any(covered) else _FIXED.pack(*values)
    texts = (event.source_kind, event.model, price.meter, price.currency)
    return fixed + _BETWEEN_WORDS.join(texts).encode()


def read_event(written: bytes) -> MeterEvent:
    """Decode an event. Raises Unreadable."""
    if not written:
        raise Unreadable("the entry has no event")
    form = {COVERED: _FIXED_COVERED, FORMAT: _FIXED, WITHOUT_KEY: _FIXED_ONCE}.get(written[0])
    if form is None:
        raise Unreadable(f"it is of format {written[0]}, and this version of the product reads {COVERED}")
    try:
        event = _read(form, written)
        _ = event.at  # a time outside the calendar has no day to count for
    except (struct.error, ValueError, OverflowError) as error:
        raise Unreadable(f"{len(written)} bytes are no event of format {written[0]}: {error}") from error
    if event.version < 0 or event.quantity < 0:
        raise Unreadable(f"version {event.version} or quantity {event.quantity} is negative")
    covered = (event.covered, event.covered_of_all)
    if min(covered) < 0 or sum(covered) > event.quantity:
        raise Unreadable(f"of {event.quantity} units {covered[0]} and {covered[1]} cannot be covered")
    return event


def _read(form: struct.Struct, written: bytes) -> MeterEvent:
    _, event_id, tenant_id, version, quantity, micros, per, at_ms, livemode, *more = form.unpack_from(written)
    kind, model, meter, currency = written[form.size :].decode().split(_BETWEEN_WORDS)
    left_out: list[Any] = [kind == CACHE, _NO_KEY.bytes, 0, 0, 0]
    cached, key, saved_micros, covered, of_all = more + left_out[len(more) :]
    return MeterEvent(
        id=UUID(bytes=event_id),
        tenant_id=UUID(bytes=tenant_id),
        source_kind=kind,
        model=model,
        version=version,
        quantity=quantity,
        price=Price(cast(Meter, meter), micros, per, currency),
        livemode=livemode,
        at_ms=at_ms,
        key_id=None if key == _NO_KEY.bytes else UUID(bytes=key),
        cached=cached,
        saved_micros=saved_micros,
        covered=covered,
        covered_of_all=of_all,
    )
