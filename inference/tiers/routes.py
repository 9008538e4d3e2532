"""The pools that may serve a piece of work, in their order, and the names of their queues. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

RESERVED, STANDARD, SPOT = "reserved", "standard", "spot"
INTERACTIVE, BULK = "interactive", "bulk"
MARK = "~"
"""The character between the key of a version and the pool, in the key of a queue outside of the model's own pool."""


@dataclass(frozen=True, slots=True)
class PoolFacts:
    """A pool that some tier names."""

    name: str
    capacity: str = STANDARD
    strategy: str = "sticky"
    dedicated: bool = False
    """Set if only workers that name the pool serve it."""
    warm: bool = False
    link_mb_s: float | None = None
    """The speed at which its workers fetch files, in MB/s. None: at once."""
    of_one: bool = False
    """Set if only one tenant can have work here, so that nothing is kept free for others."""


@dataclass(frozen=True, slots=True)
class CallPool:
    """A pool that may serve synchronous calls of a version."""

    key: str
    """The key of the queue."""
    name: str
    strategy: str = "sticky"
    """The rule by which one of the workers of this machine is chosen."""
    dedicated: bool = False
    move_s: float = 0.0
    """The time in which its workers fetch the files of the version."""


Route = tuple[str, ...]
"""The pools that may serve a piece of work, the home first."""
Orders = Mapping[str, tuple[str | None, ...]]
"""The pools by priority, the home first. None is the own pool of each model."""


@dataclass(frozen=True, slots=True)
class Tiers:
    """The tiers that plans and tenants have at one moment."""

    orders: Mapping[int, Orders] = field(default_factory=dict)
    """The orders by the id of the tier."""
    pools: Mapping[str, PoolFacts] = field(default_factory=dict)

    @property
    def in_use(self) -> bool:
        return bool(self.orders)

    def route(self, tier: int | None, priority: str, own: str) -> Route:
        """Return the pools for work of this tier and priority, the home first. `own` is the own pool of the model.

        Interactive work is never put on machines that may be taken away. Without any pool, it is that of the model.
        """
        named = () if tier is None else self.orders.get(tier, {}).get(priority, ())
        pools = dict.fromkeys(own if name is None else name for name in named)
        allowed = [name for name in pools if name == own or priority != INTERACTIVE or not self._is_spot(name)]
        return tuple(allowed) or (own,)

    def _is_spot(self, name: str) -> bool:
        facts = self.pools.get(name)
        return facts is not None and facts.capacity == SPOT


def queue_key(version_key: str, pool: str, own: str) -> str:
    """Return the key of the queue of a version in a pool. In the model's own pool, it is the key of the version."""
    return version_key if pool == own else f"{version_key}{MARK}{pool}"


def version_of_queue(key: str) -> str:
    """Return the key of the version whose work is in the queue of this key."""
    return key.partition(MARK)[0]


def pool_of_queue(key: str) -> str | None:
    """Return the pool that the key of a queue names, or None for the own pool of the model."""
    return key.partition(MARK)[2] or None
