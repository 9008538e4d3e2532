"""Reads of a stretch of the jobs that a person searched for. The cost is bounded, however many jobs there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from inference.core.contracts import Embedding
from inference.registry.models import ServedModel
from inference.registry.selectors import active_models, versions_named
from jobs.core.models import Job
from jobs.dashboard.base.job_view import with_first_words, with_key_names
from jobs.dashboard.listing.query import ALL, DELETED, DOCUMENTS, NEAREST, NEWEST, STATE_GROUPS, TRUE, ListQuery
from jobs.fields.filtering import with_fields
from jobs.search.selectors import MAX_HITS, Hit, excerpts, nearest, search_jobs
from tenants.core.ids import first_id_at

MAX_COUNTED = 10_000
"""The most jobs that are counted, and the newest to which an order other than by age applies. More takes seconds."""

_COLUMNS = {"name": "document__name", "state": "state", "pages": "pages_total", "cost": "cost_micros"}


@dataclass(frozen=True)
class Stretch:
    jobs: list[Job]
    total: int
    """The number of all jobs that match. MAX_COUNTED + 1 stands for more."""
    back: ListQuery | None
    onward: ListQuery | None


@dataclass(frozen=True)
class Listing:
    stretch: Stretch
    finds: Mapping[UUID, Hit]
    """The places where the words of a search were found, in the jobs that are shown."""
    all_found: bool
    """Set if the search came to its end. It is not set if the search found as many jobs as it may."""
    refusal: str = ""


def refused(reason: str) -> Listing:
    return Listing(Stretch([], 0, None, None), {}, True, reason)


def listing_of(query: ListQuery, meaning: Embedding | None = None) -> Listing:
    """Return the listing. Call this in a unit of work. `meaning` is the embedding of words searched for by meaning."""
    if not query.words:
        return Listing(_stretch(query, None), {}, True)
    found = nearest(meaning) if meaning else search_jobs(query.words)
    hits = {hit.job_id: hit for hit in found}
    stretch = _stretch(query, list(hits))
    on_pages = [hits[job.id] for job in stretch.jobs if hits[job.id].page_number is not None]
    return Listing(stretch, excerpts(query.words, on_pages), len(hits) < MAX_HITS)


def matching_jobs(query: ListQuery) -> "QuerySet[Job]":
    """Return the jobs that the query finds, without an order. The words are found literally."""
    jobs = matching(query)
    return jobs.filter(id__in=[hit.job_id for hit in search_jobs(query.words)]) if query.words else jobs


def _stretch(query: ListQuery, among: Sequence[UUID] | None) -> Stretch:
    """Return the stretch that the query asks for. `among` are the jobs that a search found, in its order."""
    jobs = matching(query)
    if among is not None:
        jobs = jobs.filter(id__in=among)
    total = jobs.order_by().values("id")[: MAX_COUNTED + 1].count()
    if query.by_age:
        return _by_age(query, jobs, total)
    return _by_number(query, _nearest(jobs, among or ()) if query.order == NEAREST else _ordered(query, jobs), total)


def matching(query: ListQuery) -> "QuerySet[Job]":
    jobs = Job.objects.filter(erased_at=None, document__deleted_at__isnull=query.state != DELETED)
    if query.state in STATE_GROUPS:
        jobs = jobs.filter(state__in=STATE_GROUPS[query.state])
    if query.needs_review:
        jobs = jobs.filter(pages_to_review__gt=0) if query.needs_review == TRUE else jobs.filter(pages_to_review=0)
    if query.label:
        jobs = jobs.filter(class_label=query.label)
    if query.sent != ALL:
        jobs = jobs.filter(document__isnull=query.sent != DOCUMENTS)
    if query.model:
        jobs = jobs.filter(model_version__in=versions_named(query.model))
    # Ids grow with time, so a range of days is a range of the key and needs no index of its own.
    if query.since:
        jobs = jobs.filter(id__gte=first_id_at(_midnight(query.since)))
    if query.until and query.until < date.max:
        jobs = jobs.filter(id__lt=first_id_at(_midnight(query.until + timedelta(days=1))))
    return with_fields(jobs, query.fields)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _listed(jobs: "QuerySet[Job]") -> "QuerySet[Job]":
    return with_key_names(with_first_words(jobs.select_related("document", "model_version__served_model")))


def _by_age(query: ListQuery, jobs: "QuerySet[Job]", total: int) -> Stretch:
    """Return the next page of jobs. It begins at the last job of the page before, so that jobs that arrive in the
    meantime do not shift the list.
    """
    newest_first = query.order == NEWEST
    backward = query.after is not None if newest_first else query.before is not None
    if query.before:
        jobs = jobs.filter(id__lt=query.before)
    if query.after:
        jobs = jobs.filter(id__gt=query.after)
    found = list(_listed(jobs).order_by("-id" if newest_first != backward else "id")[: query.size + 1])
    shown = found[: query.size]
    more_this_way = len(found) > query.size
    if backward:
        shown.reverse()
    has_back, has_onward = (more_this_way, True) if backward else (not query.at_start, more_this_way)
    start = query.changed()
    step_back, step_on = ("after", "before") if newest_first else ("before", "after")
    return Stretch(
        shown,
        total,
        back=start.turned(**{step_back: shown[0].id}) if has_back and shown else None,
        onward=start.turned(**{step_on: shown[-1].id}) if has_onward and shown else None,
    )


def _ordered(query: ListQuery, jobs: "QuerySet[Job]") -> "QuerySet[Job, UUID]":
    column = F(_COLUMNS[query.order.lstrip("-")])
    down = query.order.startswith("-")
    newest = jobs.annotate(place=Window(RowNumber(), order_by="-id")).filter(place__lte=MAX_COUNTED)
    order = column.desc(nulls_last=True) if down else column.asc(nulls_last=True)
    return newest.order_by(order, "-id").values_list("id", flat=True)


def _nearest(jobs: "QuerySet[Job]", found: Sequence[UUID]) -> list[UUID]:
    matching = set(jobs.values_list("id", flat=True))
    return [job_id for job_id in found if job_id in matching]


def _by_number(query: ListQuery, ids: "QuerySet[Job, UUID] | list[UUID]", total: int) -> Stretch:
    first = (query.page - 1) * query.size
    found = list(ids[first : first + query.size + 1])
    shown = found[: query.size]
    jobs = {job.id: job for job in _listed(Job.objects.filter(id__in=shown))}
    return Stretch(
        [jobs[job_id] for job_id in shown if job_id in jobs],
        total,
        back=query.turned(page=query.page - 1) if query.page > 1 else None,
        onward=query.turned(page=query.page + 1) if len(found) > query.size else None,
    )


@dataclass(frozen=True)
class ModelChoices:
    for_documents: list[ServedModel]
    """The models for documents. `parse` comes first, because it is what most people want done with a document."""
    names: list[str]


def model_choices(tenant_id: UUID) -> ModelChoices:
    served = list(active_models(tenant_id))
    fit = [model for model in served if model.state == ServedModel.State.ACTIVE and "document" in model.accepts]
    return ModelChoices(sorted(fit, key=lambda model: model.name != "parse"), [model.name for model in served])
