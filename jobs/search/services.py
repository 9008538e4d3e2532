"""Writes to the index. Each runs inside the transaction of the job or page that it indexes."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.db import connections

from jobs.core.models import Job
from jobs.search.page_ref import PageRef, Pair
from jobs.search.vectors import vector_of
from tenants.core.db.unit_of_work import current_alias

# This may be repeated: the same name or page always has the same words.
_KEEP_NAME = """
INSERT INTO jobs_pagetext (id, tenant_id, job_id, number, words)
VALUES (%(job)s, %(tenant)s, %(job)s, 0, %(words)s::tsvector)
ON CONFLICT (id) DO NOTHING
"""

# The name's words come before each page's words, so that a search can contain words of both.
_KEEP_PAGE = """
INSERT INTO jobs_pagetext (id, tenant_id, job_id, number, words)
VALUES (%(page_id)s, %(tenant_id)s, %(job_id)s, %(number)s,
        coalesce((SELECT words FROM jobs_pagetext WHERE id = %(job_id)s), ''::tsvector) || %(words)s::tsvector)
ON CONFLICT (id) DO NOTHING
"""

_TAKE_OVER = """
INSERT INTO jobs_pagetext (id, tenant_id, job_id, number, words)
SELECT new.id, new.tenant_id, new.job_id, new.number, known.words
FROM jobs_page old
JOIN jobs_page new ON new.job_id = %(new)s AND new.number = old.number AND new.state = 'succeeded'
JOIN jobs_pagetext known ON known.id = old.id
WHERE old.job_id = %(old)s AND old.state = 'succeeded'
ON CONFLICT (id) DO NOTHING
"""

# A page's words include the name of its document. A page of another document is split into words anew, by the
# scheduler.
_COPY = """
INSERT INTO jobs_pagetext (id, tenant_id, job_id, number, words)
SELECT pair.new, known.tenant_id, %(job)s, pair.number, known.words
FROM unnest(%(new)s::uuid[], %(numbers)s::int[], %(old)s::uuid[]) AS pair (new, number, old)
JOIN jobs_pagetext known ON known.id = pair.old
JOIN jobs_job from_job ON from_job.id = known.job_id AND from_job.document_id IS NOT DISTINCT FROM %(document)s
ON CONFLICT (id) DO NOTHING
"""

_ORDER_THE_REST = """
INSERT INTO jobs_jobtoindex (job_id, tenant_id)
SELECT %(job)s, %(tenant)s WHERE EXISTS (
    SELECT FROM unnest(%(new)s::uuid[]) AS one (id) JOIN jobs_page page ON page.id = one.id
    WHERE NOT EXISTS (SELECT FROM jobs_pagetext text WHERE text.id = one.id)
      AND coalesce(page.result ->> 'text', '') <> ''
)
ON CONFLICT (job_id) DO NOTHING
"""


def name_of(job: Job) -> str:
    return job.document.name if job.document else ""


def text_of(result: Mapping[str, Any] | None) -> str:
    """Return the recognized text. It is empty for models that give no text."""
    text = result.get("text") if result else None
    return text if isinstance(text, str) else ""


def index_name(job: Job) -> None:
    words = vector_of(job.tenant_id, name_of(job))
    if words:
        _execute(_KEEP_NAME, job=job.id, tenant=job.tenant_id, words=words)


def index_page(page: PageRef, words: str) -> None:
    """Index a page. `words` are the vector_of its text, made before the transaction that this is part of."""
    if words:
        _execute(_KEEP_PAGE, **asdict(page), words=words)


def take_over_words(*, new: UUID, old: UUID) -> None:
    """Copy the words of the pages that a retry took over."""
    _execute(_TAKE_OVER, new=new, old=old)


def copy_words(job: Job, pairs: Sequence[Pair]) -> None:
    """Copy the words of cache hits. Results of another document are found some seconds later."""
    new = [pair.page_id for pair in pairs]
    old, numbers = [pair.known_id for pair in pairs], [pair.number for pair in pairs]
    _execute(_COPY, job=job.id, document=job.document_id, new=new, numbers=numbers, old=old)
    _execute(_ORDER_THE_REST, job=job.id, tenant=job.tenant_id, new=new)


def _execute(statement: str, **values: UUID | int | str | list[UUID] | list[int] | None) -> None:
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, values)
