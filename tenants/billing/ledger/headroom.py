"""Computes how much may still be spent in one currency, from the balance that was read from Postgres and the charges
that this process has counted. Pure.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal, NamedTuple, Self

from tenants.billing.ledger.reserve_script import pool_name
from tenants.plans.prices import EVERY_MODEL, Meter

Whose = Literal["wallet", "tenant", "key"]


class Verdict(Enum):
    NO = 0
    YES = 1
    UNSURE = 2
    """Postgres must be read again, because something was charged since or is being charged now."""


class BoundRow(NamedTuple):
    """A wallet or budget of a caller. `left_micros` is None if it sets no bound."""

    whose: Whose
    currency: str
    left_micros: int | None


@dataclass(frozen=True, slots=True)
class Headrooms:
    """The headroom of a caller, None where nothing bounds it. All keys of a tenant share the tenant's headroom."""

    tenant_micros: int | None = None
    key_micros: int | None = None
    prepaid: bool = False
    """True if the tenant is prepaid in this currency, so that units of its plan are used before its money."""

    @classmethod
    def of(cls, rows: Iterable[BoundRow], currency: str) -> Self:
        """Return the headroom. A tenant that is prepaid anywhere has nothing in a currency without a wallet."""
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
    def min_micros(self) -> int | None:
        return min((room for room in (self.tenant_micros, self.key_micros) if room is not None), default=None)

    def with_back(self, micros: int) -> "Headrooms":
        """Return the headroom from before this amount was taken."""
        tenant, key = self.tenant_micros, self.key_micros
        return replace(
            self,
            tenant_micros=None if tenant is None else tenant + micros,
            key_micros=None if key is None else key + micros,
        )


@dataclass(frozen=True, slots=True)
class Units:
    """The most included units that work may use, from the pool of its model first, then from the pool for all."""

    most: int
    pools: tuple[str, ...]


NO_UNITS = Units(0, ())


@dataclass(frozen=True, slots=True)
class Most:
    """The most that a call may cost and use."""

    micros: int
    model: str = ""
    meter: Meter = "call"
    units: int = 0

    @property
    def pools(self) -> tuple[str, ...]:
        """Return the names of the pools that it may use, the one for its model first."""
        return tuple(pool_name(model, self.meter) for model in (self.model, EVERY_MODEL))


@dataclass(frozen=True, slots=True)
class Gone:
    """The sums of all charges ever made, as Redis counts them. Growth since a read of Postgres is not in that read."""

    tenant_micros: int
    key_micros: int
    units: tuple[int, ...] = ()
    """The units charged from each pool."""


def words_of(rooms: Headrooms, gone: Gone | None) -> list[str | int]:
    """Return the arguments in the order of the script. Without `gone`, nothing can have been charged since the read."""
    before = (None, None) if gone is None else (gone.tenant_micros, gone.key_micros)
    values = (rooms.tenant_micros, before[0], rooms.key_micros, before[1])
    return ["" if word is None else word for word in values]
