"""Find the model version that a call is for. It is looked up in Postgres and cached until it changes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from uuid import UUID

from inference.core.contracts import Json
from inference.gateway.call_routes import call_routes
from inference.registry.errors import ModelPaused
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.selectors import active_models, find_version, no_such_model, paused_reason, usable_by
from inference.tiers.routes import CallPool
from tenants.core.asgi.remembered import LONGEST_S, Remembered
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.changes.feed import ChangeFeed
from tenants.core.changes.log import Change
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError
from tenants.plans.prices import Price

LIFETIME_S = 0.8
"""The lifetime while changes cannot be read. A pause, a new price or another current version takes effect everywhere
within a second.
"""
CAPACITY = 20_000
LONGEST_REFERENCE = 120


@dataclass(frozen=True, slots=True)
class Target:
    model: str
    number: int
    runtime: str
    accepts: tuple[str, ...]
    """The kinds of input: `document`, `text`, `texts`, `tensors`."""
    price: Price
    paused_reason: str = ""
    """Why the version must not run, or nothing if it may run."""
    digest: str = ""
    cached_price: Price | None = None
    """The price of cache hits, or None if it is the same as `price`."""
    cache_ttl_s: int = 0
    """The lifetime of cached results, or 0 if none are cached."""
    versions: tuple[int, ...] = ()
    """All versions of this model that are ready."""
    signature: dict[str, Json] = field(default_factory=dict, hash=False)
    config: dict[str, Json] = field(default_factory=dict, hash=False)

    engine_name: str = ""
    """The name of the model in workers, if it differs from `model`."""
    call_pools: tuple[CallPool, ...] = ()
    """The pools for the tenant's calls in the order of its tier: without one, the own pool of the model. The models of
    a list have none, because they are not run.
    """
    line_pools: tuple[CallPool, ...] = ()
    """The same for the lines of its batches."""
    lasts_s: float = field(default=inf, compare=False)
    """The seconds until another plan of the tenant begins, if plans decide about pools."""

    @property
    def key(self) -> str:
        """Return the key in workers and metrics, which is unique in the installation."""
        return f"{self.engine_name or self.model}@{self.number}"

    @property
    def public_key(self) -> str:
        return f"{self.model}@{self.number}"

    @property
    def price_of_hits(self) -> Price:
        return self.price if self.cached_price is None else self.cached_price


class Targets:
    def __init__(self, threads: DatabaseThreads, feed: ChangeFeed | None = None) -> None:
        self._threads = threads
        self._known: Remembered[tuple[UUID, str], Target | DomainError] = Remembered(
            lifetime_s=LIFETIME_S, capacity=CAPACITY, feed=feed, lasts_s=_lasts_s
        )
        self._names: Remembered[UUID, frozenset[str]] = Remembered(lifetime_s=LIFETIME_S, capacity=CAPACITY)
        """The names of a tenant's models. They are looked up only for a name that is not remembered as a model's."""
        self._all: Remembered[UUID, tuple[Target, ...]] = Remembered(
            lifetime_s=LIFETIME_S, capacity=CAPACITY, feed=feed
        )
        self._readable: Remembered[None, bool] = Remembered(lifetime_s=LIFETIME_S, capacity=1)
        if feed is not None:
            feed.listen(self._forget)

    def _forget(self, changes: Sequence[Change]) -> None:
        """Forget the models of the accounts that a change is about, or of all if it is about the installation's.

        The tier of a tenant or a plan, and what a tier is, decide which pools serve the models.
        """
        refs = {change.ref for change in changes if change.kind in ("model", "tenant")}
        if any(change.kind in ("plan", "tier") for change in changes):
            refs.add("")
        if not refs:
            return
        everybody, tenants = "" in refs, {UUID(ref) for ref in refs if ref}
        self._known.forget_where(lambda key, _: everybody or key[0] in tenants)
        self._all.forget_where(lambda tenant, _: everybody or tenant in tenants)

    def known(self, tenant_id: UUID, reference: str) -> Target | None:
        """Return the model version if it is remembered and may run."""
        known = self._known.peek((tenant_id, reference))
        return known if isinstance(known, Target) and not known.paused_reason else None

    async def find(self, tenant_id: UUID, reference: str) -> Target:
        """Return the model version of `name`, `name@alias` or `name@number` for this tenant. Paused versions are found
        too. Raises ModelNotFound.
        """
        known = self._known.peek((tenant_id, reference))
        if isinstance(known, Target):
            return known
        names = await self._names.get(tenant_id, lambda: self._threads.run(_all_names, tenant_id))
        if len(reference) > LONGEST_REFERENCE or reference.partition("@")[0] not in names:
            # A name that a caller makes up must cost no query and no memory.
            raise no_such_model(reference, [target.model for target in await self.all(tenant_id)])
        found = await self._known.get(
            (tenant_id, reference), lambda: self._threads.run(_target_or_reason, tenant_id, reference)
        )
        if isinstance(found, DomainError):
            raise found.again()
        return found

    async def to_run(self, tenant_id: UUID, reference: str) -> Target:
        """Return the model version if it may run. Raises ModelNotFound or ModelPaused."""
        target = await self.find(tenant_id, reference)
        if target.paused_reason:
            raise ModelPaused(target.paused_reason)
        return target

    async def check(self) -> None:
        """Raise what keeps this process from reading the registry."""
        await self._readable.get(None, lambda: self._threads.run(_read_any))

    async def all(self, tenant_id: UUID) -> tuple[Target, ...]:
        """Return the current version of each of the tenant's models, in the order of their names."""
        return await self._all.get(tenant_id, lambda: self._threads.run(_all_targets, tenant_id))


def _lasts_s(found: Target | DomainError) -> float:
    """Return how long a look-up counts. A model that was not there is looked up again, because it may be added."""
    return min(LONGEST_S, found.lasts_s) if isinstance(found, Target) else 0.0


def _target_or_reason(tenant_id: UUID, reference: str) -> Target | DomainError:
    try:
        with unit_of_work(tenant_id):
            version = find_version(reference, tenant_id=tenant_id)
            routes = call_routes(tenant_id, version)
            found = _target(version)
            return replace(found, call_pools=routes.calls, line_pools=routes.lines, lasts_s=routes.lasts_s)
    except DomainError as error:
        return error


def _read_any() -> bool:
    return ServedModel.objects.exists()


def _all_names(tenant_id: UUID) -> frozenset[str]:
    with unit_of_work(tenant_id):
        return frozenset(usable_by(tenant_id).values_list("name", flat=True))


def _all_targets(tenant_id: UUID) -> tuple[Target, ...]:
    with unit_of_work(tenant_id):
        current = active_models(tenant_id).prefetch_related("versions")
        return tuple(_target(served.current, served) for served in current if served.current)


def _target(version: ModelVersion, served: ServedModel | None = None) -> Target:
    served = served or version.served_model
    ready = (
        one.number for one in served.versions.all() if one.state == ModelVersion.State.READY and not one.deleted_at
    )
    return Target(
        model=served.name,
        number=version.number,
        runtime=version.runtime,
        accepts=tuple(served.accepts),
        price=served.price,
        paused_reason=paused_reason(version),
        engine_name=served.engine_name,
        digest=version.digest,
        cached_price=served.cached_price,
        cache_ttl_s=served.cache_ttl_s,
        versions=tuple(sorted(ready)),
        signature=dict(version.signature),
        config=dict(version.config),
    )
