"""Find the model version that a call is for. It is looked up in Postgres and cached until it changes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from inference.core.contracts import Json
from inference.registry.errors import ModelPaused
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.selectors import active_models, find_version, no_such_model
from tenants.core.asgi.remembered import LONGEST_S, Remembered
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.changes.feed import ChangeFeed
from tenants.core.changes.log import Change
from tenants.core.errors import DomainError
from tenants.plans.prices import Price

LIFETIME_S = 0.8
"""The lifetime while changes cannot be read. A pause, a new price or another current version takes effect everywhere
within a second.
"""
CAPACITY = 2_000
LONGEST_REFERENCE = 120


@dataclass(frozen=True, slots=True)
class Target:
    model: str
    number: int
    runtime: str
    accepts: tuple[str, ...]
    """The kinds of input: `document`, `text`, `texts`, `tensors`."""
    price: Price
    paused: bool
    digest: str = ""
    cached_price: Price | None = None
    """The price of cache hits, or None if it is the same as `price`."""
    cache_ttl_s: int = 0
    """The lifetime of cached results, or 0 if none are cached."""
    versions: tuple[int, ...] = ()
    """All versions of this model that are ready."""
    signature: dict[str, Json] = field(default_factory=dict, hash=False)
    config: dict[str, Json] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        return f"{self.model}@{self.number}"

    @property
    def price_of_hits(self) -> Price:
        return self.price if self.cached_price is None else self.cached_price


class Targets:
    def __init__(self, threads: DatabaseThreads, feed: ChangeFeed | None = None) -> None:
        self._threads = threads
        self._known: Remembered[str, Target | DomainError] = Remembered(
            lifetime_s=LIFETIME_S, capacity=CAPACITY, feed=feed, lasts_s=_lasts_s
        )
        self._names: Remembered[None, frozenset[str]] = Remembered(lifetime_s=LIFETIME_S, capacity=1)
        """The names of all models. They are looked up only for a name that is not remembered as a model's."""
        self._all: Remembered[None, tuple[Target, ...]] = Remembered(lifetime_s=LIFETIME_S, capacity=1, feed=feed)
        if feed is not None:
            feed.listen(self._forget)

    def _forget(self, changes: Sequence[Change]) -> None:
        """Forget every model if one changed. There are few of them, and they change seldom."""
        if any(change.kind == "model" for change in changes):
            self._known.forget_where(lambda *_: True)
            self._all.forget_where(lambda *_: True)

    def known(self, reference: str) -> Target | None:
        """Return the model version if it is remembered and may run."""
        known = self._known.peek(reference)
        return known if isinstance(known, Target) and not known.paused else None

    async def find(self, reference: str) -> Target:
        """Return the model version: `name` stands for the current one, `name@number` for that one. Paused versions are
        found too. Raises ModelNotFound.
        """
        known = self._known.peek(reference)
        if isinstance(known, Target):
            return known
        names = await self._names.get(None, lambda: self._threads.run(_all_names))
        if len(reference) > LONGEST_REFERENCE or reference.partition("@")[0] not in names:
            # A name that a caller makes up must cost no query and no memory.
            raise no_such_model(reference, [target.model for target in await self.all()])
        found = await self._known.get(reference, lambda: self._threads.run(_target_or_reason, reference))
        if isinstance(found, DomainError):
            raise found.again()
        return found

    async def to_run(self, reference: str) -> Target:
        """Return the model version if it may run. Raises ModelNotFound or ModelPaused."""
        target = await self.find(reference)
        if target.paused:
            raise ModelPaused(f"The model {target.model!r} is paused by the operator. Try again later or use another.")
        return target

    async def all(self) -> tuple[Target, ...]:
        """Return the current version of each model, in the order of their names."""
        return await self._all.get(None, lambda: self._threads.run(_all_targets))


def _lasts_s(found: Target | DomainError) -> float:
    """Return how long a look-up counts. A model that was not there is looked up again, because it may be added."""
    return LONGEST_S if isinstance(found, Target) else 0.0


def _target_or_reason(reference: str) -> Target | DomainError:
    try:
        return _target(find_version(reference))
    except DomainError as error:
        return error


def _all_names() -> frozenset[str]:
    return frozenset(ServedModel.objects.values_list("name", flat=True))


def _all_targets() -> tuple[Target, ...]:
    current = active_models().prefetch_related("versions")
    return tuple(_target(served.current, served) for served in current if served.current)


def _target(version: ModelVersion, served: ServedModel | None = None) -> Target:
    served = served or version.served_model
    ready = (one.number for one in served.versions.all() if one.state == ModelVersion.State.READY)
    return Target(
        model=served.name,
        number=version.number,
        runtime=version.runtime,
        accepts=tuple(served.accepts),
        price=served.price,
        paused=served.state == ServedModel.State.PAUSED,
        digest=version.digest,
        cached_price=served.cached_price,
        cache_ttl_s=served.cache_ttl_s,
        versions=tuple(sorted(ready)),
        signature=dict(version.signature),
        config=dict(version.config),
    )
