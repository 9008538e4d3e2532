"""What an operator or an owner has set for somebody, and what comes out where several have."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

UNLIMITED = 0
"""As it is written in settings and for tenants; here None stands for it."""
MOST = 100_000_000
"""In a minute. Up to here the arithmetic of Redis is exact."""
MOST_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True)
class Rates:
    """None where nothing limits."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    pages_per_minute: int | None = None
    calls_at_once: int | None = None

    @classmethod
    def read(cls, written: Mapping[str, int | None]) -> Self:
        """What has no name here is somebody else's."""
        return cls(**{name: written.get(name) or None for name in NAMES})

    @classmethod
    def chosen(cls, written: Mapping[str, int | None], otherwise: "Rates") -> Self:
        """A tenant's own, looser or tighter; where it has none, the installation's."""
        found = {
            name: getattr(otherwise, name) if written.get(name) is None else written[name] or None
            for name in NAMES
        }
        return cls(**found)


NAMES: tuple[str, ...] = tuple(field.name for field in fields(Rates))
