"""Writes the words and, if there is a table, the embeddings to the index, in the job's or page's transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

import structlog
from django.db import DatabaseError, connections, transaction

from inference.core.contracts import Embedding
from jobs.core.models import Job
from jobs.search.words import vector_of
from tenants.core.db.unit_of_work import current_alias

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PageRef:
    tenant_id: UUID
    job_id: UUID
    page_id: UUID
    number: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A page, and the page whose result it has."""

    page_id: UUID
    number: int
    known_id: UUID


# This may be repeated: the same name or page always has the same words.
_KEEP_NAME = """
INSERT INTO jobs_pagetext (id, tenant_id, job_id, number, words)
VALUES (%(job)s, %(tenant)s, %(job)s, 0, %(words)s::tsvector)
ON CONFLICT (id) DO NOTHING
"""

# The name's words come before each page's words, so that a search can contain words of both. Their weight tells them
# from the page's own.
_KEEP_PAGE = """
INSERT INTO jobs_pagetext (id, tenant_id, job_id, number, words)
VALUES (%(page_id)s, %(tenant_id)s, %(job_id)s, %(number)s,
        coalesce((SELECT setweight(words, 'A') FROM jobs_pagetext WHERE id = %(job_id)s), ''::tsvector)
            || %(words)s::tsvector)
ON CONFLICT (id) DO NOTHING
"""

_FORGET_PAGE = "DELETE FROM jobs_pagetext WHERE id = %(page_id)s"

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
# scheduler, and so is one whose words a person corrected.
_COPY = """
INSERT INTO jobs_pagetext (id, tenant_id, job_id, number, words)
SELECT pair.new, known.tenant_id, %(job)s, pair.number, known.words
FROM unnest(%(new)s::uuid[], %(numbers)s::int[], %(old)s::uuid[]) AS pair (new, number, old)
JOIN jobs_pagetext known ON known.id = pair.old
    AND NOT EXISTS (
        SELECT FROM jobs_correction own
        WHERE own.job_id = known.job_id AND own.number = known.number AND own.ended_at IS NULL)
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
    vector = vector_of(job.tenant_id, name_of(job))
    if vector:
        _execute(_KEEP_NAME, job=job.id, tenant=job.tenant_id, words=vector)


def index_page(page: PageRef, vector: str) -> None:
    """Index a page. `vector` are the vector_of its text, made before the transaction that this is part of."""
    if vector:
        _execute(_KEEP_PAGE, **asdict(page), words=vector)


def reindex_page(page: PageRef, vector: str) -> None:
    """Index a page by other words than before, which a person corrected."""
    _execute(_FORGET_PAGE, page_id=page.page_id)
    index_page(page, vector)


def take_over_index(*, new: UUID, old: UUID) -> None:
    """Copy the words and the embeddings of the pages that a retry took over."""
    _execute(_TAKE_OVER, new=new, old=old)
    _execute(_TAKE_OVER_ORDERS, new=new, old=old)
    _write_embeddings(_TAKE_OVER_EMBEDDINGS, new=new, old=old)


def copy_index(job: Job, pairs: Sequence[Pair]) -> None:
    """Copy the words and the embeddings of cache hits. Results of another document are found some seconds later."""
    new = [pair.page_id for pair in pairs]
    old, numbers = [pair.known_id for pair in pairs], [pair.number for pair in pairs]
    _execute(_COPY, job=job.id, document=job.document_id, new=new, numbers=numbers, old=old)
    _execute(_ORDER_THE_REST, job=job.id, tenant=job.tenant_id, new=new)
    copy_embeddings(job.id, pairs)


def _execute(statement: str, **values: UUID | int | str | list[UUID] | list[int] | None) -> None:
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, values)


EMBEDDINGS = "jobs_pageembedding"
"""The table. It is missing where the database has no pgvector."""

_KEEP_EMBEDDING = """
INSERT INTO jobs_pageembedding (page_id, tenant_id, job_id, number, digest, embedding)
VALUES (%(page_id)s, %(tenant_id)s, %(job_id)s, %(number)s, %(digest)s, %(vector)s::halfvec)
ON CONFLICT (page_id) DO NOTHING
"""

_TAKE_OVER_EMBEDDINGS = """
INSERT INTO jobs_pageembedding (page_id, tenant_id, job_id, number, digest, embedding)
SELECT new.id, new.tenant_id, new.job_id, new.number, known.digest, known.embedding
FROM jobs_page old
JOIN jobs_page new ON new.job_id = %(new)s AND new.number = old.number AND new.state = 'succeeded'
JOIN jobs_pageembedding known ON known.page_id = old.id
WHERE old.job_id = %(old)s AND old.state = 'succeeded'
ON CONFLICT (page_id) DO NOTHING
"""

_COPY_EMBEDDINGS = """
INSERT INTO jobs_pageembedding (page_id, tenant_id, job_id, number, digest, embedding)
SELECT pair.new, known.tenant_id, %(job)s, pair.number, known.digest, known.embedding
FROM unnest(%(new)s::uuid[], %(numbers)s::int[], %(old)s::uuid[]) AS pair (new, number, old)
JOIN jobs_pageembedding known ON known.page_id = pair.old
ON CONFLICT (page_id) DO NOTHING
"""


def meaning_available() -> bool:
    """Return whether this database stores embeddings. This is queried each time, because it costs next to nothing."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [EMBEDDINGS])
        return bool(cursor.fetchone()[0])


# The role is that of a member of the pipeline that gave the result.
_ORDER_EMBEDDING = """
INSERT INTO jobs_pagetoembed (id, tenant_id, job_id, number, model_version_id)
SELECT %(page_id)s, %(tenant_id)s, %(job_id)s, %(number)s, member_id FROM inference_pipelinestep
WHERE pipeline_id = %(pipeline)s AND role = %(role)s
ON CONFLICT (id) DO NOTHING
"""

# An order is copied before the embedding is: between the two statements, the embedding may take the order's place.
_COPY_ORDERS = """
INSERT INTO jobs_pagetoembed (id, tenant_id, job_id, number, model_version_id)
SELECT pair.new, known.tenant_id, %(job)s, pair.number, known.model_version_id
FROM unnest(%(new)s::uuid[], %(numbers)s::int[], %(old)s::uuid[]) AS pair (new, number, old)
JOIN jobs_pagetoembed known ON known.id = pair.old
ON CONFLICT (id) DO NOTHING
"""

_TAKE_OVER_ORDERS = """
INSERT INTO jobs_pagetoembed (id, tenant_id, job_id, number, model_version_id)
SELECT new.id, new.tenant_id, new.job_id, new.number, known.model_version_id
FROM jobs_page old
JOIN jobs_page new ON new.job_id = %(new)s AND new.number = old.number AND new.state = 'succeeded'
JOIN jobs_pagetoembed known ON known.id = old.id
WHERE old.job_id = %(old)s AND old.state = 'succeeded'
ON CONFLICT (id) DO NOTHING
"""


def order_embedding(page: PageRef, *, pipeline: int, role: str) -> None:
    """Order the embedding of a page's text, in the transaction of its result. A worker makes it (embedding_orders)."""
    if meaning_available():
        _execute(_ORDER_EMBEDDING, **asdict(page), pipeline=pipeline, role=role)


def keep_embedding(page: PageRef, embedding: Embedding) -> None:
    vector = f"[{','.join(map(str, embedding.vector))}]"
    _write_embeddings(_KEEP_EMBEDDING, **asdict(page), digest=embedding.digest, vector=vector)


def copy_embeddings(job_id: UUID, pairs: Sequence[Pair]) -> None:
    """Copy the embeddings of pages that were cache hits, or the orders for them."""
    new, old = [pair.page_id for pair in pairs], [pair.known_id for pair in pairs]
    numbers = [pair.number for pair in pairs]
    _execute(_COPY_ORDERS, job=job_id, new=new, numbers=numbers, old=old)
    _write_embeddings(_COPY_EMBEDDINGS, job=job_id, new=new, numbers=numbers, old=old)


def _write_embeddings(statement: str, **values: UUID | int | str | list[UUID] | list[int]) -> None:
    """Write in a savepoint: a vector that cannot be stored is no reason to lose a page's result and charge."""
    if not meaning_available():
        return
    try:
        with transaction.atomic(using=current_alias()), connections[current_alias()].cursor() as cursor:
            cursor.execute(statement, values)
    except DatabaseError as error:
        log.warning("embedding_not_stored", error=str(error).splitlines()[0])
