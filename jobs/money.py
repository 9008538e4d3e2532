"""A job's money: what it may cost is set aside as it is accepted, and what it did cost is charged at its end.

Always the last step of its transaction: the wallet's row, for which all of a tenant's jobs wait, is locked then.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.conf import settings

from inference.registry.models import ModelVersion
from jobs.models import Job
from tenants.billing.ledger.journal import Source
from tenants.billing.ledger.services import hold, pay_at_once, require_money, settle
from tenants.billing.prices import Meter, Price
from tenants.identity import Identity

JOB = "job"
_MARKS = 2
"""Tokens that every text has beside its own."""


def predicted_micros(price: Price, pages: int, work: Mapping[str, Any] | None = None) -> int:
    """Exact where pages or calls are priced, each rounded by itself as it is charged. Of tokens, which nobody knows
    before, the most: what settings say of a page, or of a text that comes with the job as many as it has characters.
    """
    return pages * price.cost_micros(_units_of_page(price.meter, work))


def hold_for(job: Job) -> None:
    """Of an accepted job, whose known pages have been charged to it already. Raises where there is not so much."""
    if not job.livemode:
        return
    source = _source(job.id, job.tenant_id, job.currency, job.api_key_id)
    if job.terminal:
        pay_at_once(source, job.cost_micros)
        return
    rest = predicted_micros(Price.from_json(job.price), job.pages_total - job.pages_done, job.input)
    job.held_micros = hold(source, job.cost_micros + rest)
    if job.held_micros is not None:
        Job.objects.filter(id=job.id).update(held_micros=job.held_micros)


def require_money_for(identity: Identity, version: ModelVersion, pages: int) -> None:
    """For a document that is still to be stored: refuses what could not be paid if every result of it were known."""
    served = version.served_model
    agreed = identity.prices.of_model(served.name, served.price, served.cached_price)
    least = min(predicted_micros(price, pages) for price in (agreed.price, agreed.cached_price))
    if identity.livemode:
        require_money(identity.tenant_id, agreed.price.currency, least, key_id=identity.key_id)


def require_money_of(job: Job, pages: int) -> None:
    """The same of a job that is still to be written, for so many of its pages."""
    prices = (Price.from_json(job.price), Price.from_json(job.cached_price or job.price))
    least = min(predicted_micros(price, pages, job.input) for price in prices)
    if job.livemode:
        require_money(job.tenant_id, job.currency, least, key_id=job.api_key_id)


def settle_job(
    job_id: UUID, *, tenant_id: UUID, currency: str, key_id: UUID | None, held_micros: int | None, cost: int
) -> None:
    """In the transaction of its end."""
    settle(_source(job_id, tenant_id, currency, key_id), held_micros=held_micros, cost_micros=cost)


def settle_ended(jobs: Iterable[Job]) -> None:
    """Of jobs that were ended before their work was done; as they stood when they were locked."""
    for job in sorted(jobs, key=lambda job: job.currency):  # wallets in one order everywhere
        settle_job(
            job.id,
            tenant_id=job.tenant_id,
            currency=job.currency,
            key_id=job.api_key_id,
            held_micros=job.held_micros,
            cost=job.cost_micros,
        )


def _source(job_id: UUID, tenant_id: UUID, currency: str, key_id: UUID | None) -> Source:
    return Source(tenant_id, JOB, job_id, currency, key_id)


def _units_of_page(meter: Meter, work: Mapping[str, Any] | None) -> int:
    if meter != "token":
        return 1
    texts = _texts_of(work or {})
    most = settings.MAAS_HOLD_TOKENS_PER_PAGE
    return sum(min(len(text) + _MARKS, most) for text in texts) if texts else most


def _texts_of(work: Mapping[str, Any]) -> list[str]:
    found = work.get("texts") or [work.get("text")]
    return [text for text in found if isinstance(text, str)]
