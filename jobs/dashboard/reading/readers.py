"""The models that can read a job's document, each with the price of reading it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from inference.registry.models import PipelineStep, ServedModel
from inference.registry.selectors import active_models
from inference.runtime.parameters import DOCUMENT, documents_of
from jobs.core.models import Job
from jobs.dashboard.base.job_view import may_write
from jobs.dashboard.base.wording import FREE, price_words
from tenants.billing.dashboard.money import estimated_money
from tenants.identity.identity import Identity

MAX_READERS = 12
"""The most models to choose from: `parse` first, as in all lists, then the newest."""


@dataclass(frozen=True)
class ReaderView:
    name: str
    title: str
    price: str
    """The most that reading the document costs."""
    same: bool
    """The job was read by this version."""


def reader_views(identity: Identity, job: Job) -> Sequence[ReaderView]:
    """Return the models to read the document again with. There are none while the job runs, or without a document."""
    document = job.document
    if document is None or document.deleted_at is not None or not job.terminal or not may_write(identity):
        return ()
    served = active_models(identity.tenant_id).filter(state=ServedModel.State.ACTIVE, accepts__contains=[DOCUMENT])
    fit = served.filter(~Q(id__in=_building_blocks()) | Q(current=job.model_version_id))
    found = [
        model
        for model in fit
        if (not identity.models or model.name in identity.models) and _reads(model, document.kind)
    ]
    best_first = sorted(found, key=lambda model: (model.name != "parse", -model.pk))
    return [_view(identity, job, model) for model in best_first[:MAX_READERS]]


def _building_blocks() -> "QuerySet[PipelineStep, int]":
    """Return the models that current pipelines are made of, except pipelines themselves: `read`, but not `ocr`."""
    steps = PipelineStep.objects.filter(pipeline__current_of__isnull=False, member__served_model__current__steps=None)
    return steps.values_list("member__served_model", flat=True)


def _view(identity: Identity, job: Job, model: ServedModel) -> ReaderView:
    return ReaderView(
        name=model.name,
        title=model.title or model.name,
        price=_price(identity, job, model),
        same=model.current_id == job.model_version_id,
    )


def _reads(model: ServedModel, kind: str) -> bool:
    return model.current is not None and kind in documents_of(model.current.runtime, model.current.config)


def _price(identity: Identity, job: Job, model: ServedModel) -> str:
    price = identity.prices.of_model(model.name, model.price, model.cached_price).price
    if price.amount_micros == 0 or not job.livemode:
        return FREE
    if price.meter not in ("page", "call"):
        return price_words(price)
    return estimated_money(price.cost_micros(job.pages_total), price.currency)
