"""Finds pages by words or by meaning, for programs. Call these functions inside a unit of work."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connections

from inference.core.contracts import Embedding
from jobs.search.meaning import MAX_COMPARED, MAX_DISTANCE, TOO_MANY
from jobs.search.queries import Query
from jobs.search.statement_timeout import searching
from tenants.core.db.unit_of_work import APP, current_mode, current_tenant_id

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class PageFilters:
    """The pages to search among. None is no restriction."""

    label: str | None = None
    """The class of the document."""
    versions: Sequence[int] | None = None
    """The ids of the model versions that read the page."""
    first_job: UUID | None = None
    end_job: UUID | None = None
    """The id from which on jobs are left out. Ids grow with time."""
    jobs: Sequence[UUID] | None = None
    """The jobs to search among."""


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a hit in the list, from which the list goes on. It stays valid while pages come and go."""

    id: UUID
    """The job of a search by words, the page of one by meaning."""
    number: int
    """The page number of a search by words, the distance in millionths of one by meaning."""


@dataclass(frozen=True, slots=True)
class PageHit:
    job_id: UUID
    number: int
    """The page number, 0 for the name of the document."""
    position: Position
    score: float | None = None
    """The cosine similarity of a search by meaning."""


_BY_WORDS = """
SELECT job_id, number FROM maas_search_pages(
    %s::tsquery, %s::tsquery, %s, %s, %s::bigint[], %s::uuid, %s::uuid, %s::uuid, %s, %s, %s::uuid[])
"""

# Distances are rounded, so that processes on different processors agree on the order.
_BY_MEANING = """
SELECT near.page_id, near.job_id, near.number, near.millionths
FROM (
    SELECT page_id, job_id, number, round((embedding <=> %(vector)s::halfvec) * 1000000) AS millionths
    FROM (
        SELECT page_id, job_id, number, embedding FROM jobs_pageembedding
        WHERE tenant_id = %(tenant)s AND digest = %(digest)s ORDER BY page_id DESC LIMIT %(among)s
    ) AS newest
) AS near
JOIN jobs_job job ON job.tenant_id = %(tenant)s AND job.id = near.job_id
LEFT JOIN jobs_document document ON document.tenant_id = %(tenant)s AND document.id = job.document_id
WHERE near.millionths <= %(most)s
  AND job.erased_at IS NULL AND document.deleted_at IS NULL
  AND (%(mode)s::boolean IS NULL OR job.livemode = %(mode)s)
  AND (%(label)s::text IS NULL OR job.class_label = %(label)s)
  AND (%(versions)s::bigint[] IS NULL OR job.model_version_id = ANY (%(versions)s))
  AND (%(first_job)s::uuid IS NULL OR near.job_id >= %(first_job)s)
  AND (%(end_job)s::uuid IS NULL OR near.job_id < %(end_job)s)
  AND (%(jobs)s::uuid[] IS NULL OR near.job_id = ANY (%(jobs)s::uuid[]))
  AND (%(after)s::float IS NULL OR near.millionths > %(after)s
       OR (near.millionths = %(after)s AND near.page_id < %(after_id)s::uuid))
ORDER BY near.millionths, near.page_id DESC LIMIT %(limit)s
"""


def pages_with(query: Query, among: PageFilters, after: Position | None, limit: int) -> list[PageHit]:
    """Return the pages that have all wanted words, the newest job's first. The query has at least one wanted word.

    A word of the document's name counts as if it stood on each page, but at least one word stands on the page itself.
    """
    tenant_id = current_tenant_id()
    values = [
        query.wanted_on_page_by(tenant_id),
        query.unwanted_by(tenant_id),
        current_mode(),
        among.label,
        None if among.versions is None else list(among.versions),
        among.first_job,
        among.end_job,
        after.id if after else None,
        after.number if after else None,
        limit,
        _jobs(among),
    ]
    refusal = "These words are on too many pages to be looked for. Add a word, write the last one out, or set `from`."
    with searching(refusal), connections[APP].cursor() as cursor:
        cursor.execute(_BY_WORDS, values)
        return [PageHit(job_id, number, Position(job_id, number)) for job_id, number in cursor.fetchall()]


def pages_about(meaning: Embedding, among: PageFilters, after: Position | None, limit: int) -> list[PageHit]:
    """Return the pages nearest in meaning, nearest first."""
    values: dict[str, str | float | UUID | bool | list[int] | list[UUID] | None] = {
        "vector": f"[{','.join(map(str, meaning.vector))}]",
        "tenant": current_tenant_id(),
        "digest": meaning.digest,
        "among": MAX_COMPARED,
        "most": MAX_DISTANCE * MILLION,
        "mode": current_mode(),
        "label": among.label,
        "versions": None if among.versions is None else list(among.versions),
        "first_job": among.first_job,
        "end_job": among.end_job,
        "jobs": _jobs(among),
        "after": after.number if after else None,
        "after_id": after.id if after else None,
        "limit": limit,
    }
    with searching(TOO_MANY), connections[APP].cursor() as cursor:
        cursor.execute(_BY_MEANING, values)
        return [
            PageHit(job_id, number, Position(page_id, int(millionths)), score=1 - millionths / MILLION)
            for page_id, job_id, number, millionths in cursor.fetchall()
        ]


def _jobs(among: PageFilters) -> list[UUID] | None:
    return None if among.jobs is None else list(among.jobs)
