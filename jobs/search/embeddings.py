"""Writes page embeddings if there is a table for them. A page never fails because the table is missing."""

from collections.abc import Sequence
from dataclasses import asdict
from uuid import UUID

import structlog
from django.db import DatabaseError, connections, transaction

from inference.core.contracts import Embedding
from jobs.search.page_ref import PageRef, Pair
from tenants.core.db.unit_of_work import current_alias

log = structlog.get_logger(__name__)

TABLE = "jobs_pageembedding"
"""The table. It is missing where the database has no pgvector."""

_KEEP = """
INSERT INTO jobs_pageembedding (page_id, tenant_id, job_id, number, digest, embedding)
VALUES (%(page_id)s, %(tenant_id)s, %(job_id)s, %(number)s, %(digest)s, %(vector)s::halfvec)
ON CONFLICT (page_id) DO NOTHING
"""

_TAKE_OVER = """
INSERT INTO jobs_pageembedding (page_id, tenant_id, job_id, number, digest, embedding)
SELECT new.id, new.tenant_id, new.job_id, new.number, known.digest, known.embedding
FROM jobs_page old
JOIN jobs_page new ON new.job_id = %(new)s AND new.number = old.number AND new.state = 'succeeded'
JOIN jobs_pageembedding known ON known.page_id = old.id
WHERE old.job_id = %(old)s AND old.state = 'succeeded'
ON CONFLICT (page_id) DO NOTHING
"""

_COPY = """
INSERT INTO jobs_pageembedding (page_id, tenant_id, job_id, number, digest, embedding)
SELECT pair.new, known.tenant_id, %(job)s, pair.number, known.digest, known.embedding
FROM unnest(%(new)s::uuid[], %(numbers)s::int[], %(old)s::uuid[]) AS pair (new, number, old)
JOIN jobs_pageembedding known ON known.page_id = pair.old
ON CONFLICT (page_id) DO NOTHING
"""


def meaning_available() -> bool:
    """Return whether this database stores embeddings. This is queried each time, because it costs next to nothing."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [TABLE])
        return bool(cursor.fetchone()[0])


def keep_embedding(page: PageRef, embedding: Embedding) -> None:
    vector = f"[{','.join(map(str, embedding.vector))}]"
    _write(_KEEP, **asdict(page), digest=embedding.digest, vector=vector)


def take_over_embeddings(*, new: UUID, old: UUID) -> None:
    """Copy the embeddings of the pages that a retry took over."""
    _write(_TAKE_OVER, new=new, old=old)


def copy_embeddings(job_id: UUID, pairs: Sequence[Pair]) -> None:
    """Copy the embeddings of pages that were cache hits."""
    new, old = [pair.page_id for pair in pairs], [pair.known_id for pair in pairs]
    _write(_COPY, job=job_id, new=new, numbers=[pair.number for pair in pairs], old=old)


def _write(statement: str, **values: UUID | int | str | list[UUID] | list[int]) -> None:
    """Write in a savepoint: a vector that cannot be stored is no reason to lose a page's result and charge."""
    if not meaning_available():
        return
    try:
        with transaction.atomic(using=current_alias()), connections[current_alias()].cursor() as cursor:
            cursor.execute(statement, values)
    except DatabaseError as error:
        log.warning("embedding_not_stored", error=str(error).splitlines()[0])
