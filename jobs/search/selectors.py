"""Finds jobs by the words of their documents' names and pages. Call these functions inside a unit of work."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db import connections

from jobs.core.models import Job
from jobs.search.excerpts import MAX_HITS, Hit, Part, excerpt_of
from jobs.search.meaning import meaning_of, nearest
from jobs.search.queries import parsed
from jobs.search.services import meaning_available, name_of
from jobs.search.statement_timeout import searching
from tenants.core.db.unit_of_work import APP, current_mode, current_tenant_id

__all__ = [
    "MAX_HITS",
    "Hit",
    "Part",
    "excerpts",
    "meaning_available",
    "meaning_of",
    "nearest",
    "search_jobs",
]

_MAX_CHARACTERS = 200_000
"""The most characters of a page's text from which an excerpt is cut."""


_SEARCH = "SELECT job_id, number FROM maas_search_words(%s::tsquery, %s::tsquery, %s, %s)"

_TEXTS = """
SELECT p.job_id, left(p.result ->> 'text', %s)
FROM unnest(%s::uuid[], %s::int[]) AS wanted (job_id, number)
JOIN jobs_page p ON p.tenant_id = %s AND p.job_id = wanted.job_id AND p.number = wanted.number
"""


def search_jobs(search: str, *, limit: int = MAX_HITS) -> list[Hit]:
    """Return the matching jobs, newest first, none without words. Raises SearchTooBroad for too many pages."""
    tenant_id, query = current_tenant_id(), parsed(search)
    wanted = query.wanted_by(tenant_id)
    if wanted is None:
        return []
    refusal = f"{search[:60]!r} is on too many pages to be looked for. Add a word, or write the last one out."
    with searching(refusal), connections[APP].cursor() as cursor:
        cursor.execute(_SEARCH, [wanted, query.unwanted_by(tenant_id), min(limit, MAX_HITS), current_mode()])
        return [Hit(job_id, number or None) for job_id, number in cursor.fetchall()]


def excerpts(search: str, hits: Sequence[Hit]) -> dict[UUID, Hit]:
    """Return the same hits by job, each with the text around the words. This is for the hits that are shown."""
    query = parsed(search)
    names, texts = _names(hits), _texts(hits)
    found = {}
    for hit in hits:
        text = names.get(hit.job_id, "") if hit.page_number is None else texts.get(hit.job_id, "")
        found[hit.job_id] = Hit(hit.job_id, hit.page_number, excerpt_of(text, query))
    return found


def _names(hits: Sequence[Hit]) -> Mapping[UUID, str]:
    wanted = [hit.job_id for hit in hits if hit.page_number is None]
    if not wanted:
        return {}
    jobs = Job.objects.filter(id__in=wanted).select_related("document").only("document__name")
    return {job.id: name_of(job) for job in jobs}


def _texts(hits: Sequence[Hit]) -> Mapping[UUID, str]:
    on_pages = [hit for hit in hits if hit.page_number is not None]
    if not on_pages:
        return {}
    ids, numbers = [hit.job_id for hit in on_pages], [hit.page_number for hit in on_pages]
    with connections[APP].cursor() as cursor:
        cursor.execute(_TEXTS, [_MAX_CHARACTERS, ids, numbers, current_tenant_id()])
        return {job_id: text or "" for job_id, text in cursor.fetchall()}
