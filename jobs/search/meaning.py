"""Finds jobs by what their pages are about: the pages whose embeddings are nearest to the embedding of the words."""

from uuid import UUID

import structlog
from django.db import connections

from inference.core.contracts import Embedding
from inference.core.errors import ModelFailed
from inference.registry.artifacts import ArtifactDamaged
from inference.registry.errors import ModelNotFound, ModelPaused
from inference.registry.models import ModelVersion
from inference.registry.selectors import resolve
from jobs.search.excerpts import MAX_HITS, Hit
from jobs.search.query_embedding import Busy, embed
from jobs.search.services import meaning_available
from jobs.search.statement_timeout import MeaningPaused, MeaningUnavailable, searching
from tenants.core.db.unit_of_work import APP, current_tenant_id

log = structlog.get_logger(__name__)
PIPELINE, STEP = "parse", "embed"
MAX_CHARACTERS = 300
MAX_DISTANCE = 0.75
"""The cosine distance beyond which a page is about something else."""
MAX_COMPARED = 100_000
"""The number of a tenant's newest pages that are compared. More would take longer than a person waits."""

BUSY_PAUSE_S, AWAY_PAUSE_S = 2, 15
"""The seconds after which a program may search by meaning again."""

NOT_HERE = "Pages cannot be found by meaning here. Search for the words themselves."
TAKEN = "Others are searching by meaning, and one text is read after the other. Try again in a moment."
AWAY = "The model that reads what you look for cannot be fetched. Search for the words themselves, or try later."
BROKEN = "The model that reads what you look for failed. Search for the words themselves, or tell the operator."
TOO_MANY = "Your pages could not be compared in time. Search for the words themselves, or try again."

# This is exact, and fast enough for a tenant's pages. An index over all tenants' vectors would first give the nearest
# vectors of any tenant, and this tenant's few among them only by luck.
_NEAREST = """
SELECT job_id, number FROM (
    SELECT DISTINCT ON (job_id) job_id, number, distance
    FROM (
        SELECT job_id, number, embedding <=> %(vector)s::halfvec AS distance
        FROM (
            SELECT job_id, number, embedding FROM jobs_pageembedding
            WHERE tenant_id = %(tenant)s AND digest = %(digest)s ORDER BY page_id DESC LIMIT %(among)s
        ) AS newest
    ) AS every_page
    WHERE distance <= %(most)s ORDER BY job_id, distance
) AS every_job ORDER BY distance LIMIT %(limit)s
"""


def meaning_of(search: str) -> Embedding | None:
    """Return the embedding of the words, or None without any. Raises MeaningUnavailable or
    MeaningPaused with the reason.

    Call this outside of any unit of work: it may fetch and load a model, and wait for other searches.
    """
    text = " ".join(search[:MAX_CHARACTERS].encode("utf-8", "replace").decode().split())
    if not text:
        return None
    embedder = _embedder() if meaning_available() else None
    if embedder is None:
        raise MeaningUnavailable(NOT_HERE)
    try:
        return embed(embedder, text)
    except Busy:
        raise MeaningPaused(TAKEN, extra={"retry_after_s": BUSY_PAUSE_S}) from None
    except OSError as error:
        log.warning("semantic_search_failed", model=embedder.key, error=str(error))
        raise MeaningPaused(AWAY, extra={"retry_after_s": AWAY_PAUSE_S}) from error
    except (ModelFailed, ArtifactDamaged) as error:
        log.warning("semantic_search_failed", model=embedder.key, error=str(error))
        raise MeaningPaused(BROKEN, extra={"retry_after_s": AWAY_PAUSE_S}) from error


def nearest(meaning: Embedding, *, limit: int = 50, among: int = MAX_COMPARED) -> list[Hit]:
    """Return the nearest jobs first, each with its nearest page. Call this inside a unit of work."""
    values: dict[str, str | float | UUID] = {
        "vector": f"[{','.join(map(str, meaning.vector))}]",
        "tenant": current_tenant_id(),
        "digest": meaning.digest,
        "most": MAX_DISTANCE,
        "limit": min(limit, MAX_HITS),
        "among": among,
    }
    with searching(TOO_MANY), connections[APP].cursor() as cursor:
        cursor.execute(_NEAREST, values)
        return [Hit(job_id, number) for job_id, number in cursor.fetchall()]


def _embedder() -> ModelVersion | None:
    """Return the model that embeds pages now, or None if there is none."""
    try:
        pipeline = resolve(PIPELINE, tenant_id=None)
    except (ModelNotFound, ModelPaused):
        return None
    step = pipeline.steps.select_related("member__served_model").filter(role=STEP).first()
    return step.member if step else None
