"""The scheduler's watch over all pools: it gathers the signal, decides, publishes, and keeps every minute."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import redis
import structlog
from django.conf import settings

from inference.registry.models import ModelPool, ScalingMinute, ScalingTerms
from inference.registry.tiers import current_tiers
from inference.rpc.demand import unserved_since_last
from inference.rpc.lines import CommandLine
from inference.scaling.deletion import deletion_costs
from inference.scaling.next_worker import is_expected_back
from inference.scaling.orders import Orders
from inference.scaling.pool import PoolNow
from inference.scaling.signal import (
    Arrivals,
    Costs,
    FleetNow,
    ModelNow,
    PoolSignal,
    Waiting,
    WorkerNow,
    pool_signals,
)
from inference.scaling.steering import Decision, Steering
from inference.scaling.traffic import MINUTE_S
from inference.tiers.routes import pool_of_queue
from inference.workers.heartbeats import WorkerReport, live_workers_with_long_timeout
from inference.workers.placement.catalog import Measured, ModelCatalog, queues_in_tiers
from jobs.scaling.cluster import own_cluster
from jobs.scaling.metrics import tell_metrics
from jobs.scaling.minutes import minutes_before
from jobs.scaling.pool_json import pool_json
from jobs.scaling.published import publish
from jobs.scaling.waiting import waiting_calls, waiting_lines, waiting_pages
from tenants.core.db.unit_of_work import operator_work

log = structlog.get_logger(__name__)
GAP_S = 60.0
"""Seconds without a look after which another scheduler led in between, and what it noted is read."""
RECENT_MINUTES = 5
"""The minutes for which what an earlier leader wanted still holds: its replicas may be on their way."""
Mode = ScalingTerms.Mode


@dataclass(slots=True)
class _Minute:
    """The minute that is not over yet."""

    number: int
    came: int = 0
    work_s: float = 0.0
    oldest_wait_s: float = 0.0


@dataclass(slots=True)
class _Pool:
    steering: Steering
    orders: Orders = field(default_factory=Orders)
    wanted: int | None = None
    """The number that was published last."""
    minute: _Minute | None = None
    sent_away_s: float = float("-inf")
    """The time at which the last call came that found no worker."""


class ScalingWatch:
    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._line = CommandLine(settings.MAAS_REDIS_URL)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._costs, self._arrivals, self._measured = Costs(), Arrivals(), Measured()
        self._catalog = ModelCatalog(self._measured)
        self._cluster = own_cluster()
        self._pools: dict[str, _Pool] = {}
        self._workers: list[WorkerNow] = []
        self._looked_s: float | None = None

    def look(self) -> None:
        """Decide on every pool, and publish it."""
        now_s = self._clock()
        if self._looked_s is not None and now_s - self._looked_s > GAP_S:
            self._begin_anew()
        since_s = now_s if self._looked_s is None else self._looked_s
        try:
            with operator_work():
                terms = {of_pool.pool: of_pool for of_pool in ScalingTerms.objects.all()}
                # An autoscaler asks for pools that have neither a model nor a worker at the moment.
                known = {*terms, *ModelPool.objects.values_list("name", flat=True)}
            signals = self._signals(known)
            with operator_work():
                decided = [
                    self._decide(signal, terms.get(signal.pool) or ScalingTerms(pool=signal.pool), since_s, now_s)
                    for signal in signals.values()
                ]
            publish(decided)
        except redis.RedisError as error:
            log.warning("scaling_not_decided", error=str(error))
            return
        self._looked_s = now_s
        if self._cluster is not None:
            self._cluster.write(deletion_costs(self._workers, self._costs))

    def _signals(self, known: Iterable[str] = ()) -> dict[str, PoolSignal]:
        reports = live_workers_with_long_timeout()
        self._measured.learn(reports)
        self._workers = workers = [_worker(report) for report in reports]
        found = self._catalog.read()
        lanes = {model.key for model in found} | queues_in_tiers(found, current_tiers())
        waiting: list[Waiting] = [*waiting_pages(), *waiting_lines(), *waiting_calls(self._line, lanes)]
        unserved = unserved_since_last(self._line)
        seen = {one.key for one in waiting}.union(
            unserved, *({*one.serving, *one.running, *one.done} for one in reports)
        )
        in_tiers = [key for key in seen if pool_of_queue(key) is not None]
        if in_tiers:
            found = self._catalog.read(in_tiers)
        models = [ModelNow(model.key, model.pool, self._measured.apply(model).load_s) for model in found]
        self._costs.learn(workers)
        came = self._arrivals.since_last(waiting, workers, unserved)
        return pool_signals(FleetNow(models, waiting, workers, came, frozenset(unserved)), self._costs, known)

    def _decide(self, signal: PoolSignal, terms: ScalingTerms, since_s: float, now_s: float) -> dict[str, Any]:
        of_pool = terms.as_terms(signal.load_s)
        pool = self._pools.get(signal.pool)
        if pool is None:
            pool = self._pools[signal.pool] = _Pool(Steering(of_pool))
            past = list(minutes_before(signal.pool, now_s))
            pool.steering.remember((minute, came) for minute, came, _ in past)
            if terms.mode == Mode.FOLLOW and past and now_s // MINUTE_S - past[-1][0] <= RECENT_MINUTES:
                pool.wanted = past[-1][2]
                if pool.wanted and not signal.ready:
                    # The leader before may have ordered it for callers that found no worker.
                    pool.sent_away_s = now_s
        pool.steering.follow(of_pool)
        there = signal.ready + signal.starting
        ordered = there if pool.wanted is None else pool.wanted
        due_in = pool.orders.due_in(ordered, signal.ready, at_s=now_s, lead_s=of_pool.lead_s)
        if signal.sent_away:
            pool.sent_away_s = now_s
        expects_callers = is_expected_back(sent_away_s=pool.sent_away_s, at_s=now_s, lead_s=of_pool.lead_s)
        state = PoolNow(
            now_s,
            waiting_work_s=signal.prompt_work_s,
            oldest_wait_s=signal.prompt_wait_s,
            ready=signal.ready,
            starting_s=due_in,
            expects_callers=expects_callers,
            service_s=signal.piece_s,
        )
        decision = pool.steering.decide(state, since_s=min(since_s, now_s - 1e-3), came=signal.came)
        pool.wanted = {Mode.HOLD: terms.held, Mode.FOLLOW: decision.replicas}.get(Mode(terms.mode), there)
        due_in = pool.orders.due_in(pool.wanted, signal.ready, at_s=now_s, lead_s=of_pool.lead_s)
        self._note_minute(pool, signal, decision, now_s)
        tell_metrics(signal, pool.wanted, decision, len(due_in))
        return pool_json(signal, terms, decision, wanted=pool.wanted, due_in=due_in, lead_s=of_pool.lead_s, now_s=now_s)

    def _note_minute(self, pool: _Pool, signal: PoolSignal, decision: Decision, now_s: float) -> None:
        number = int(now_s // MINUTE_S)
        minute = pool.minute
        if minute is None or minute.number != number:
            if minute is not None:
                _keep(signal, minute, decision, pool.wanted or 0)
            minute = pool.minute = _Minute(number)
        minute.came += signal.came
        minute.work_s = max(minute.work_s, signal.waiting_work_s)
        minute.oldest_wait_s = max(minute.oldest_wait_s, signal.oldest_wait_s)


def _keep(signal: PoolSignal, minute: _Minute, decision: Decision, wanted: int) -> None:
    ScalingMinute.objects.update_or_create(
        pool=signal.pool,
        minute=minute.number,
        defaults={
            "came": minute.came,
            "work_s": round(minute.work_s, 3),
            "oldest_wait_s": round(minute.oldest_wait_s, 3),
            "ready": signal.ready,
            "needed": decision.wanted.needed,
            "wanted": wanted,
            "is_predicted": decision.is_predicted,
            "reasons": list(decision.wanted.reasons),
        },
    )


def _worker(report: WorkerReport) -> WorkerNow:
    return WorkerNow(
        report.name,
        report.start_id,
        pools=frozenset(report.pools),
        slots=max(1, report.threads),
        ready=report.takes_work,
        starting=report.loads_first and not report.draining,
        running=report.running,
        done=report.done,
        service_s=report.service_s,
    )


_watch: list[ScalingWatch] = []


def watch_pools() -> None:
    """Look at all pools. This is a duty of the leading scheduler, which runs it in one thread at a time."""
    if not _watch:
        _watch.append(ScalingWatch())
    _watch[0].look()
