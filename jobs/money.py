"""A job's money: what it may cost is set aside as it is accepted, and what it did cost is charged at its end.

Always the last step of its transaction: the wallet's row, for which all of a tenant's jobs wait, is locked then.
"""

from collections.abc import Iterable
from uuid import UUID

from django.conf import settings

from inference.registry.models import ModelVersion
from jobs.models import Job
from tenants.billing.ledger.journal import Source
from tenants.billing.ledger.services import hold, pay_at_once, require_money, settle
from tenants.billing.prices import Meter, Price
from tenants.identity import Identity

JOB = "job"


def predicted_micros(price: Price, pages: int) -> int:
    """Exact where pages or calls are priced; of tokens, which nobody knows before, so many a page as settings say."""
    return price.cost_micros(pages * _units_of_page(price.meter))


def hold_for(job: Job) -> None:
    """Of an accepted job, whose known pages have been charged to it already. Raises where there is not so much."""
    if not job.livemode:
        return
    source = _source(job.id, job.tenant_id, job.currency, job.api_key_id)
    if job.terminal:
        pay_at_once(source, job.cost_micros)
        return
    rest = predicted_micros(Price.from_json(job.price), job.pages_total - job.pages_done)
    job.held_micros = hold(source, job.cost_micros + rest)
    if job.held_micros is not None:
        Job.objects.filter(id=job.id).update(held_micros=job.held_micros)


def require_money_for(identity: Identity, version: ModelVersion, pages: int) -> None:
    """For a document that is still to be stored: refuses what could not be paid if every result of it were known."""
    served = version.served_model
    agreed = identity.prices.of_model(served.name, served.price, served.cached_price)
    least = min((agreed.price, agreed.cached_price), key=lambda price: predicted_micros(price, pages))
    if identity.livemode:
        require_money(
            identity.tenant_id, least.currency, predicted_micros(least, pages), key_id=identity.key_id
        )


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


def _units_of_page(meter: Meter) -> int:
    return settings.MAAS_HOLD_TOKENS_PER_PAGE if meter == "token" else 1
