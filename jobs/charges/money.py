"""Holds and charges the money of jobs, last in their transactions: all of a tenant's jobs wait for its wallet."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections

from inference.registry.models import ModelVersion
from jobs.charges.page_prices import highest
from jobs.core.models import Job
from tenants.billing.invoices.services import give_back_billed
from tenants.billing.ledger.included import use_included
from tenants.billing.ledger.included_units import Work
from tenants.billing.ledger.posting import Source
from tenants.billing.ledger.services import (
    Bounds,
    hold,
    lock_wallets,
    nothing,
    pay_at_once,
    require_money,
    settle,
)
from tenants.core.db.unit_of_work import current_alias
from tenants.core.months import Month
from tenants.identity.identity import Identity
from tenants.plans.prices import Meter, Price

JOB = "job"
_CLOCKS_DIFFER = timedelta(hours=1)
_MARKS = 2
"""The number of tokens that every text has in addition to its own."""
# This is the finished work of a job, as it was recorded. Pages taken over from an earlier job do not belong to it.
_DONE = """
SELECT u.model, u.cached, u.price, sum(u.quantity)::bigint, sum(u.amount_micros)::bigint,
       date_trunc('month', u.created_at AT TIME ZONE 'UTC')::date
FROM jobs_page p JOIN tenants_usagerecord u
    ON u.tenant_id = p.tenant_id AND u.source_id = p.id AND u.source_kind IN ('page', 'cache')
WHERE p.tenant_id = %(tenant)s AND p.job_id = %(job)s AND u.livemode
GROUP BY 1, 2, 3, 6
"""


def predicted_micros(price: Price, pages: int, work: Mapping[str, Any] | None = None) -> int:
    """Return the cost of the work: exact for pages and calls, else the most for unknown tokens and times."""
    return pages * price.cost_micros(units_of_page(price.meter, work))


def hold_for(job: Job, bounds: Bounds | None = None) -> None:
    """Hold the money for a job, except for its cached pages, which are already charged. `bounds` were read in this
    transaction.
    """
    if not job.livemode:
        return
    source = _source(job.id, job.tenant_id, job.currency, job.api_key_id)
    if job.terminal:
        pay_at_once(source, job.cost_micros, _done(source))
        return
    price = highest(Price.from_json(job.price), Price.from_json(job.review_price or job.price))
    to_do = _to_do(job, price, job.pages_total - job.pages_done)
    done = _done(source) if job.cost_micros else list
    job.held_micros = hold(source, job.cost_micros + to_do.amount_micros, lambda: [*done(), to_do], bounds=bounds)
    if job.held_micros is not None:
        Job.objects.filter(id=job.id).update(held_micros=job.held_micros)


def require_money_for(identity: Identity, version: ModelVersion, pages: int) -> None:
    """Refuse a document that is still to be stored if it could not be paid even if every result of it were cached."""
    served = version.served_model
    agreed = identity.prices.of_model(served.name, served.price, served.cached_price, served.review_price)
    prices = (agreed.price, agreed.cached_price, agreed.price_of_review)
    works = [_work(served.name, price, pages, None) for price in prices]
    least = min(works, key=lambda work: work.amount_micros)
    if identity.livemode:
        _require(identity.tenant_id, least, identity.key_id)


def require_money_of(job: Job, pages: int) -> Bounds | None:
    """Refuse a job of so many pages that is not written yet. Return the limits on its money if they were read."""
    prices = [Price.from_json(price or job.price) for price in (job.price, job.cached_price, job.review_price)]
    least = min((_to_do(job, price, pages) for price in prices), key=lambda work: work.amount_micros)
    return _require(job.tenant_id, least, job.api_key_id) if job.livemode else None


def settle_job(
    job_id: UUID,
    *,
    tenant_id: UUID,
    currency: str,
    key_id: UUID | None,
    begun: datetime,
    held_micros: int | None,
    cost: int,
) -> None:
    """Settle the money of a job in the transaction of its end."""
    source = _source(job_id, tenant_id, currency, key_id)
    for_earlier_months = settle(
        source,
        held_micros=held_micros,
        cost_micros=cost,
        works=_done(source),
        over_months=_may_be_of_earlier_months(begun),
    )
    if for_earlier_months:
        give_back_billed(source, for_earlier_months)


def settle_ended(jobs: Iterable[Job]) -> None:
    """Settle jobs that were ended before their work was done. The jobs are given as they were when they were locked."""
    ended = sorted(jobs, key=lambda job: job.currency)  # wallets are locked in the same order everywhere
    for tenant_id in {job.tenant_id for job in ended}:
        lock_wallets(tenant_id, (job.currency for job in ended if job.tenant_id == tenant_id))
    for job in ended:
        settle_job(
            job.id,
            tenant_id=job.tenant_id,
            currency=job.currency,
            key_id=job.api_key_id,
            begun=job.created_at,
            held_micros=job.held_micros,
            cost=job.cost_micros,
        )


def let_go_of_units(job: Job) -> None:
    """Release the included units of a job that was settled without them. None of its money is touched."""
    use_included(_source(job.id, job.tenant_id, job.currency, job.api_key_id), nothing, costs=False)


def _may_be_of_earlier_months(begun: datetime) -> bool:
    """Return whether some work since then may be of an earlier month by the clock of any machine."""
    first, last = begun.astimezone(UTC) - _CLOCKS_DIFFER, datetime.now(UTC) + _CLOCKS_DIFFER
    return Month.of(first.date()) != Month.of(last.date())


def _source(job_id: UUID, tenant_id: UUID, currency: str, key_id: UUID | None) -> Source:
    return Source(tenant_id, JOB, job_id, currency, key_id)


def _require(tenant_id: UUID, work: Work, key_id: UUID | None) -> Bounds | None:
    currency = work.price.currency
    return require_money(tenant_id, currency, work.amount_micros, key_id=key_id, works=lambda: [work])


def _to_do(job: Job, price: Price, pages: int) -> Work:
    return _work(job.model_version.served_model.name, price, pages, job.input)


def _work(model: str, price: Price, pages: int, work: Mapping[str, Any] | None) -> Work:
    """Return the work that is still to be done."""
    units = pages * units_of_page(price.meter, work)
    return Work(model, False, price, units, predicted_micros(price, pages, work))


def _done(source: Source) -> Callable[[], Sequence[Work]]:
    def read() -> list[Work]:
        with connections[current_alias()].cursor() as cursor:
            cursor.execute(_DONE, {"tenant": source.tenant_id, "job": source.id})
            return [
                Work(model, cached, Price.from_json(json.loads(price)), *rest)
                for model, cached, price, *rest in cursor.fetchall()
            ]

    return read


def units_of_page(meter: Meter, work: Mapping[str, Any] | None) -> int:
    """Return the units that a page is charged for. They are exact if pages or calls are priced, else the most."""
    if meter == "gpu_second":
        return int(settings.MAAS_HOLD_GPU_MS_PER_PAGE)
    if meter != "token":
        return 1
    texts = _texts_of(work or {})
    most = settings.MAAS_HOLD_TOKENS_PER_PAGE
    return sum(min(len(text) + _MARKS, most) for text in texts) if texts else most


def _texts_of(work: Mapping[str, Any]) -> list[str]:
    found = work.get("texts") or [work.get("text")]
    return [text for text in found if isinstance(text, str)]
