"""Define the rates that an operator or an owner has set, and combine those set in several places."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

UNLIMITED = 0
"""The value for no limit in settings and for tenants. It is None in this module."""
MOST = 100_000_000
"""The largest rate per minute. Up to this value the arithmetic of Redis is exact."""
MAX_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of a caller. A rate is None if nothing is limited."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    pages_per_minute: int | None = None
    calls_at_once: int | None = None

    @classmethod
    def read(cls, written: Mapping[str, int | None]) -> Self:
        """Read the rates. Other names are ignored, because they do not belong to this class."""
        return cls(**{name: written.get(name) or None for name in NAMES})

    @classmethod
    def chosen(cls, written: Mapping[str, int | None], otherwise: "Rates") -> Self:
        """Return the tenant's own rates, whether higher or lower. A rate that the tenant does not have is taken from
        the installation.
        """
        found = {
            name: getattr(otherwise, name) if written.get(name) is None else written[name] or None for name in NAMES
        }
        return cls(**found)


NAMES: tuple[str, ...] = tuple(field.name for field in fields(Rates))
