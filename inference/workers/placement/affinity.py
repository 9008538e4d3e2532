"""The thread that keeps this worker on its queues: it looks, decides and acts every second and when notified."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import redis
import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, close_old_connections

from inference.core.control import DEMAND, ControlChannel
from inference.registry.tiers import current_tiers
from inference.tiers.routes import MARK, version_of_queue
from inference.workers.brokers import BrokerUnavailable
from inference.workers.heartbeats import Heartbeat, WorkerReport
from inference.workers.placement.catalog import Measured, ModelCatalog, bound_reads, queues_in_tiers
from inference.workers.placement.claims import ModelClaims
from inference.workers.placement.demand import DemandSource, UnbrokenWaits, together
from inference.workers.placement.fleet import Demand, Model, Snapshot
from inference.workers.placement.heartbeat import HeartbeatSender, PagesNow
from inference.workers.placement.loader import UNASKED, Loader, LoadTimes
from inference.workers.placement.metrics import DECISIONS, QUEUES
from inference.workers.placement.page_counts import QueueTally
from inference.workers.placement.peers import OtherWorkers, worker_of
from inference.workers.placement.placement import Decision, Plan, plan_for
from inference.workers.placement.resident_models import LEAVES_WITHIN_S, Shelf
from inference.workers.placement.unserved_pools import UnservedPools

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 1.0
LOOK_GAP_S = 0.02
"""The shortest time in seconds between two looks, however often the thread is notified."""

HAND_OVER_S = 60.0
"""Seconds for which a worker that drains serves calls of models that no other worker has taken yet."""

Consume = Callable[[frozenset[str], frozenset[str]], None]
"""A callback that every look calls with the models whose pages to take, and those whose calls to serve, even if they
have not changed.
"""


class Affinity:
    """The affinity of a worker: one thread, from the start of the Dramatiq worker to its end."""

    def __init__(
        self,
        heartbeat: Heartbeat,
        *,
        shelf: Shelf,
        tally: QueueTally,
        pools: frozenset[str],
        pages: Callable[[], PagesNow],
        demand: Sequence[DemandSource],
        load_times: LoadTimes | None = None,
    ) -> None:
        self.settled = threading.Event()
        """An event that is set once the models held without demand are loaded or have failed to load."""
        self._handed_over = threading.Event()
        self._drains_since_s: float | None = None
        self._name, self._pools = heartbeat.name, pools
        self._shelf = shelf
        self._loader = Loader(self._bring, self._changed, load_times or LoadTimes())
        self._tally = tally
        self._heartbeat = HeartbeatSender(
            heartbeat,
            shelf=shelf,
            loader=self._loader,
            tally=tally,
            pools=pools,
            pages=pages,
            on_order=self.wake,
        )
        self._demand_sources = list(demand)
        self._consumers: list[Consume] = []
        self._measured = Measured()
        self._catalog = ModelCatalog(self._measured)
        self._claims = ModelClaims(settings.MAAS_REDIS_URL, self._name)
        self._others = OtherWorkers(self._name)
        self._waits = UnbrokenWaits()
        self._unserved = UnservedPools(self._name)
        self._models: dict[str, Model] = {}
        self._demand: dict[str, Demand] = {}
        self._wake = threading.Event()
        shelf.on_change(self._changed)
        self._stopping = threading.Event()
        self._attached = threading.Event()
        self._thread = threading.Thread(target=self._run, name="affinity", daemon=True)

    def start(self) -> None:
        self._heartbeat.start()
        self._thread.start()

    def leave(self, within_s: float) -> None:
        """Drain before the end: take no more pages, and go on with calls until other workers hold the models in use.

        Returns as soon as they do or nobody can take them, or when the time is over.
        """
        self._handed_over.clear()
        self._heartbeat.leave()
        # All workers look at once, not within a second.
        ControlChannel(settings.MAAS_REDIS_URL).tell(DEMAND, model="")
        self.wake()
        self._handed_over.wait(within_s)

    def stop(self) -> None:
        """Stop looking. The heartbeat goes on until `end`, because unfinished pages are still held."""
        self._stopping.set()
        self._shelf.stop()
        self._attached.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def end(self) -> None:
        self._heartbeat.stop()

    def consume_with(self, *consumers: Consume) -> None:
        self._consumers += consumers
        self._attached.set()
        self._wake.set()

    def wake(self) -> None:
        """Make the thread look soon, because something has changed. Any thread may call this, at no cost."""
        self._wake.set()

    def _run(self) -> None:
        self._attached.wait()
        self._heartbeat.looked()
        while not self._stopping.is_set():
            self._wake.clear()
            self._quietly(self.look)
            self._stopping.wait(LOOK_GAP_S)
            self._wake.wait(LOOK_EVERY_S)

    def look(self) -> None:
        # This is read before the look. The state after a load that ends meanwhile is used by the next look.
        warming_up = self._loader.warming_up
        snapshot = self._gather()
        plan = self._bounded(plan_for(self._name, snapshot), snapshot)
        begun = [decision for decision in plan.load if self._may_begin(decision, alone=snapshot.alone)]
        # The queues come first, so that no more pages are taken of a model that leaves.
        self._consume(plan, leaving={key for decision in begun for key in decision.leave})
        for decision in begun:
            self._tell(decision)
            self._loader.begin(decision)
        self._unserved.look(snapshot)
        warming_up = warming_up or any(decision.reason in UNASKED for decision in begun)
        if self._models and not warming_up and not snapshot.returning:
            self.settled.set()
        self._heartbeat.looked()

    def _bounded(self, plan: Plan, snapshot: Snapshot) -> Plan:
        """Return the plan without models to hand over if the worker has drained for long enough."""
        me = snapshot.worker(self._name)
        if me is None or not me.draining:
            self._drains_since_s = None
            return plan
        if self._drains_since_s is None:
            self._drains_since_s = time.monotonic()
        if time.monotonic() - self._drains_since_s > HAND_OVER_S:
            plan = replace(plan, hand_over=frozenset())
        if not plan.hand_over:
            self._handed_over.set()
        return plan

    def _gather(self) -> Snapshot:
        own = self._heartbeat.report()
        company = self._others.look()
        reports = (own, *company.reports)
        self._measured.learn(reports)
        self._read_database(queues=_queues_of(reports))
        workers = tuple(worker_of(report) for report in reports)
        waited_for = {version_of_queue(key) for key, demand in self._demand.items() if demand.waiting > 0}
        models = tuple(self._as_wanted(model, waited_for) for model in self._models.values())
        held = {model.key for model in models if any(worker.is_home_of(model) for worker in workers)}
        return Snapshot(
            workers=workers,
            models=models,
            demand=self._waits.of(self._demand, held),
            lost=company.lost,
            alone=company.alone,
            returning=company.returning,
        )

    def _read_database(self, queues: set[str]) -> None:
        """Read models and demand. While the database is away, the last known models stay and no work waits."""
        # If the database is unavailable, the next read reports it.
        with suppress(DatabaseError, InterfaceError):
            bound_reads()
        known = {*self._models, *self._queues_in_tiers()}
        self._demand = together(self._asked(source, known) for source in self._demand_sources)
        try:
            models = self._catalog.read({*self._demand, *queues})
            self._models = {model.key: model for model in models}
        except Exception as error:
            log.warning("models_not_read", error=str(error))
        finally:
            close_old_connections()

    def _queues_in_tiers(self) -> set[str]:
        """Return the queues in which calls may wait for this worker in pools of tiers, served or not."""
        try:
            return queues_in_tiers(self._models.values(), current_tiers(), self._pools)
        except Exception as error:
            log.warning("models_not_read", error=str(error))
            return set()

    def _asked(self, source: DemandSource, known: Collection[str]) -> Mapping[str, Demand]:
        try:
            return source(known)
        except Exception as error:
            log.warning("demand_not_read", error=str(error))
            return {}

    def _as_wanted(self, model: Model, waited_for: Collection[str]) -> Model:
        return replace(self._measured.apply(model), wanted=model.wanted or model.version_key in waited_for)

    def _bring(self, decision: Decision) -> None:
        leave = [self._models[key] for key in decision.leave if key in self._models]
        self._wait_for_work_on(decision.leave)
        self._shelf.bring(decision.model, leave=leave, keep=self._kept)

    def _wait_for_work_on(self, keys: Iterable[str]) -> None:
        """Wait until no page of these models runs: between its steps, a page uses no session of its model."""
        ends_s = time.monotonic() + LEAVES_WITHIN_S
        while any(self._tally.running_of(key) for key in keys) and time.monotonic() < ends_s:
            if self._stopping.wait(LOOK_GAP_S):
                return

    def _kept(self) -> list[Model]:
        """Return the models that stay. They may still need files that they share with the models that leave."""
        staying = {model.key for model in self._shelf.resident()} - self._loader.leaving
        return [self._models[key] for key in staying if key in self._models]

    def _changed(self) -> None:
        self._heartbeat.soon()
        self.wake()

    def _may_begin(self, decision: Decision, *, alone: bool) -> bool:
        return self._loader.may_begin(decision.model) and (alone or self._claim(decision.model.key))

    def _claim(self, key: str) -> bool:
        try:
            return self._claims.take(key)
        except redis.RedisError as error:
            log.warning("model_not_claimed", model=key, error=str(error))
            return False

    def _consume(self, plan: Plan, *, leaving: Collection[str]) -> None:
        gone = self._loader.leaving.union(leaving)
        keys = frozenset(key for key in plan.consume if version_of_queue(key) not in gone)
        for decision in plan.unheld:
            if decision.model.key not in self._heartbeat.serving:
                self._tell(decision)
        QUEUES.set(len(keys))
        if keys != self._heartbeat.serving:
            self._heartbeat.serving = keys
            self._heartbeat.soon()
        calls = keys | plan.hand_over
        for consume in self._consumers:
            self._quietly(lambda consume=consume: consume(keys, calls))  # type: ignore[misc]

    def _tell(self, decision: Decision) -> None:
        key, reason = decision.model.key, decision.reason.value
        DECISIONS.labels(model=key, reason=reason).inc()
        log.info("model_claimed", model=key, reason=reason, evicting=list(decision.leave))

    def _quietly(self, step: Callable[[], None]) -> None:
        """Run a step and log its failure. The worker must survive an unavailable database or broker."""
        try:
            step()
        except BrokerUnavailable as error:
            log.warning("broker_unavailable", error=str(error))
        except Exception:
            log.exception("placement_step_failed")


def _queues_of(reports: Iterable[WorkerReport]) -> set[str]:
    """Return the queues of models in memory, and those that workers serve: also those of tiers, which may be needed."""
    found: set[str] = set()
    for report in reports:
        found.update(report.resident, report.serving)
        found.update(f"{key}{MARK}{pool}" for key in report.resident for pool in report.pools)
    return found


def queue_names(keys: Iterable[str]) -> list[str]:
    return sorted(f"infer.{key}" for key in keys)
