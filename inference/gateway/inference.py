"""Run a model for a caller who waits: check the call, answer it from the cache or by RPC, and note its use."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from django.conf import settings

from inference.core.charging import charged, charged_beside
from inference.core.contracts import Json, Units, WorkOutput, WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed
from inference.gateway.absent_workers import AbsentWorkers
from inference.gateway.cache_wishes import CacheNote, cache_wish
from inference.gateway.exchange import LONGEST_S, Exchange
from inference.gateway.failures import refusal_of
from inference.gateway.most import max_of
from inference.gateway.outcomes import Answers, Outcome, Question
from inference.gateway.server_timing import Timings, server_timing
from inference.gateway.targets import Target, Targets
from inference.rpc.errors import LaneOverloaded, NoWorker
from inference.rpc.works import LaneWork
from inference.runtime.inputs_counted import inputs_in
from inference.runtime.parameters import validate_parameters, validate_work_kind
from inference.runtime.tensor_requests import validate_input
from tenants.billing.metering.events import CACHE, CALL, MeterEvent
from tenants.core.asgi.protocol import ClientGone
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity
from tenants.plans.prices import Price, saved_micros


@dataclass(frozen=True, slots=True)
class Answered:
    target: Target
    outcome: Outcome
    timings: Timings

    @property
    def output(self) -> WorkOutput:
        return self.outcome.output

    @property
    def note(self) -> CacheNote:
        return self.outcome.note

    @property
    def headers(self) -> tuple[tuple[bytes, bytes], ...]:
        return (server_timing(self.timings), *self.note.headers)


class Inference:
    def __init__(self, targets: Targets, answers: Answers, absent_workers: AbsentWorkers | None = None) -> None:
        """Set up the calls. `absent_workers` is None if the caller does not care why no worker answers."""
        self.targets = targets
        self._answers = answers
        self._absent_workers = absent_workers

    async def run(
        self,
        exchange: Exchange,
        target: Target,
        work: LaneWork,
        parameters: Mapping[str, Json],
        *,
        kind: str,
        deadline_s: float = LONGEST_S,
    ) -> Answered:
        """Run the model and return its answer. `kind` is one of the kinds in a model's `accepts`. Raises DomainError
        for every refusal that the caller is to see.
        """
        exchange.identity.require("jobs:write")
        exchange.identity.require_model(target.model)
        wish = cache_wish(exchange.cache_control)
        try:
            validate_work_kind(target.runtime, kind, target.config)
            filled = validate_parameters(target.runtime, parameters, target.config)
            validate_input(target.signature, work)
            await exchange.enter_free_day(inputs_in(target.signature, work))
            agreed = exchange.price_of(target.model, target.price, target.price_of_hits)
            window = target.config.get("window_tokens")
            most = partial(
                max_of,
                target.model,
                agreed.price,
                agreed.cached_price,
                work,
                window,
                gpu_ms=settings.MAAS_HOLD_GPU_MS_PER_PAGE,
            )
            await exchange.enter_model(target.model, agreed.price.currency, most)
            asked = Question(target, work, filled, kind)
            outcome = await self._answers.outcome(exchange, wish, asked, deadline_s=min(deadline_s, LONGEST_S))
        except (DeadlinePassed, LaneOverloaded) as error:
            raise refusal_of(await self._no_worker(target) or error) from error
        except (WorkRefused, ModelFailed) as error:
            raise refusal_of(error) from error
        except CallCanceled:
            raise ClientGone from None
        if outcome.ran is not None:
            exchange.tokens += outcome.ran.tokens
            if exchange.admission is not None:
                exchange.admission.use_tokens(outcome.ran.tokens)
        if outcome.known is not None:
            exchange.known_tokens += outcome.known.tokens
        note_use(exchange, target, outcome.ran, outcome.known)
        total_ms = (time.monotonic() - exchange.whole_s) * 1000
        return Answered(target, outcome, Timings(outcome.queue_ms, outcome.run_ms, total_ms, outcome.spent))

    async def _no_worker(self, target: Target) -> NoWorker | None:
        return None if self._absent_workers is None else await self._absent_workers.of(target.call_pools)


def note_use(exchange: Exchange, target: Target, ran: Units | None, known: Units | None) -> None:
    exchange.uses += uses_of(exchange.identity, target, ran, known)


def uses_of(identity: Identity, target: Target, ran: Units | None, known: Units | None) -> list[MeterEvent]:
    """Return the uses of a call. The part that a model ran is charged at the caller's price for the model, and the part
    from the cache at the price of cache hits.
    """
    agreed = identity.prices.of_model(target.model, target.price, target.price_of_hits)
    in_run = 0 if ran is None else charged(ran, agreed.price.meter)
    uses = [] if ran is None else [_use(identity, target, CALL, in_run, agreed.price)]
    if known is not None:
        quantity = charged_beside(known, agreed.cached_price.meter, in_run)
        if quantity or ran is None:
            use = _use(identity, target, CACHE, quantity, agreed.cached_price)
            uses.append(_saving(use, agreed.price, known))
    return uses


def _use(identity: Identity, target: Target, source_kind: str, quantity: int, price: Price) -> MeterEvent:
    return MeterEvent(
        id=uuid7(),
        tenant_id=identity.tenant_id,
        source_kind=source_kind,
        model=target.model,
        version=target.number,
        quantity=quantity,
        price=price,
        livemode=identity.livemode,
        at_ms=time.time_ns() // 1_000_000,
        key_id=identity.key_id,
    )


def _saving(use: MeterEvent, price: Price, known: Units) -> MeterEvent:
    """Return the use with the amount by which a run at this price would have cost more."""
    saved = saved_micros(price, charged(known, price.meter), cost_micros=use.amount_micros, currency=use.price.currency)
    return replace(use, cached=True, saved_micros=saved if use.livemode else 0)
