"""What Postgres says may still be spent in one currency, and what was charged before it was asked: pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal, NamedTuple, Self

from tenants.billing.ledger.reserve_script import pool_name
from tenants.plans.agreed import EVERY_MODEL
from tenants.plans.prices import Meter

Whose = Literal["wallet", "tenant", "key"]


class Verdict(Enum):
    NO = 0
    YES = 1
    UNSURE = 2
    """Postgres has to be asked again: something was charged since, or is being charged now."""


class BoundRow(NamedTuple):
    """One wallet or budget of a caller's. `left_micros` is None where nothing bounds it."""

    whose: Whose
    currency: str
    left_micros: int | None


@dataclass(frozen=True, slots=True)
class Rooms:
    """None where nothing bounds it. What is left of a tenant's money is shared by all of its keys."""

    tenant_micros: int | None = None
    key_micros: int | None = None
    prepaid: bool = False
    """In this currency: what its plan includes is used before its money."""

    @classmethod
    def of(cls, rows: Iterable[BoundRow], currency: str) -> Self:
        """Whoever is prepaid in some currency has nothing in those of which it has no wallet."""
        rows = list(rows)
        here = [row for row in rows if row.currency == currency]
        prepaid = any(row.whose == "wallet" and row.left_micros is not None for row in rows)
        tenant = [row.left_micros for row in here if row.whose != "key" and row.left_micros is not None]
        wallets = [row for row in here if row.whose == "wallet"]
        if prepaid and not wallets:
            tenant.append(0)
        key = [row.left_micros for row in here if row.whose == "key" and row.left_micros is not None]
        before = any(row.left_micros is not None for row in wallets) if wallets else prepaid
        return cls(min(tenant, default=None), min(key, default=None), before)

    @property
    def bounded(self) -> bool:
        return self.tenant_micros is not None or self.key_micros is not None

    @property
    def least_micros(self) -> int | None:
        return min((room for room in (self.tenant_micros, self.key_micros) if room is not None), default=None)

    def with_back(self, micros: int) -> "Rooms":
        """As they were before so much was taken out."""
        tenant, key = self.tenant_micros, self.key_micros
        return replace(
            self,
            tenant_micros=None if tenant is None else tenant + micros,
            key_micros=None if key is None else key + micros,
        )


@dataclass(frozen=True, slots=True)
class Units:
    """So many of what a plan includes that work may use: those for its model, then those for all."""

    most: int
    pools: tuple[str, ...]
    """By their names."""


NO_UNITS = Units(0, ())


@dataclass(frozen=True, slots=True)
class Most:
    """What a call may cost and use, and no more."""

    micros: int
    model: str = ""
    meter: Meter = "call"
    units: int = 0

    @property
    def pools(self) -> tuple[str, ...]:
        """Of included units that it may use: those for its model first."""
        return tuple(pool_name(model, self.meter) for model in (self.model, EVERY_MODEL))


@dataclass(frozen=True, slots=True)
class Gone:
    """All that was ever charged, as Redis counts it: it only grows, and what it has grown by is not in a look."""

    tenant_micros: int
    key_micros: int
    units: tuple[int, ...] = ()
    """Of each pool."""


def words_of(rooms: Rooms, gone: Gone | None) -> list[str | int]:
    """As the script reads them. No `gone`: nothing can have been charged since."""
    before = (None, None) if gone is None else (gone.tenant_micros, gone.key_micros)
    said = (rooms.tenant_micros, before[0], rooms.key_micros, before[1])
    return ["" if word is None else word for word in said]
