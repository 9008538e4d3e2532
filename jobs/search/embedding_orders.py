"""Orders to embed pages for the search, which workers carry out after the results are out. An order is a row until its
embedding is stored, so that no crash loses it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connections

from inference.core.contracts import Embedding
from inference.workers.placement.fleet import DEFAULT_POOL
from jobs.core.models import Page
from jobs.search.services import PageRef, keep_embedding, text_of
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work, unit_of_work

AT_ONCE = 8
MAX_ATTEMPTS = 5
PAUSE_S = 60.0
"""Seconds until an order that was taken is taken again, times the number of attempts. A page takes one at most."""

_TAKE = """
UPDATE jobs_pagetoembed
SET attempt = attempt + 1, run_after = clock_timestamp() + make_interval(secs => %(pause_s)s * (attempt + 1))
WHERE id IN (
    SELECT id FROM jobs_pagetoembed
    WHERE run_after <= clock_timestamp() AND model_version_id IN (
        SELECT version.id FROM inference_modelversion version
        JOIN inference_servedmodel model ON model.id = version.served_model_id
        LEFT JOIN inference_modelpool pool ON pool.id = model.pool_id
        WHERE coalesce(pool.name, %(default)s) = ANY(%(pools)s)
           OR (%(pools)s::text[] = '{}' AND NOT coalesce(pool.dedicated, false))
    )
    ORDER BY run_after LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
RETURNING tenant_id, job_id, id, number, model_version_id, attempt
"""
_HOLD = "SELECT FROM jobs_job WHERE id = %s AND erased_at IS NULL FOR KEY SHARE"
_WITHDRAW = "DELETE FROM jobs_pagetoembed WHERE tenant_id = %s AND id = %s"


@dataclass(frozen=True, slots=True)
class EmbeddingOrder:
    page: PageRef
    model_version_id: int
    attempt: int

    @property
    def is_last_attempt(self) -> bool:
        return self.attempt >= MAX_ATTEMPTS


@dataclass(frozen=True, slots=True)
class Embeddable:
    text: str
    embedding: Sequence[float] | None
    """The embedding that the result shows, which need not be made again."""


def take_orders(pools: Collection[str]) -> list[EmbeddingOrder]:
    """Take the oldest orders of models in these pools, or in all that are not dedicated if it is empty. No other worker
    takes them for a while.
    """
    values: dict[str, Any] = {"pause_s": PAUSE_S, "limit": AT_ONCE, "pools": list(pools), "default": DEFAULT_POOL}
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TAKE, values)
        rows = cursor.fetchall()
    return [EmbeddingOrder(PageRef(*row[:4]), row[4], row[5]) for row in rows]


def embeddable(page: PageRef) -> Embeddable | None:
    """Return what is to be embedded, or None if the page was erased."""
    with unit_of_work(page.tenant_id):
        found = Page.objects.filter(id=page.page_id).only("tenant", "result").first()
    if found is None:
        return None
    shown = (found.result or {}).get("embedding")
    return Embeddable(text_of(found.result), shown if isinstance(shown, list) and shown else None)


def finish_order(order: EmbeddingOrder, embedding: Embedding | None) -> None:
    """Store the embedding, unless the job was erased, and withdraw the order."""
    page = order.page
    with unit_of_work(page.tenant_id):
        if embedding is not None and _held(page.job_id):
            keep_embedding(page, embedding)
        with connections[APP].cursor() as cursor:
            cursor.execute(_WITHDRAW, [page.tenant_id, page.page_id])


def _held(job_id: UUID) -> bool:
    """Return whether the job is not erased, and lock it until the end, so that its embeddings stay gone."""
    with connections[APP].cursor() as cursor:
        cursor.execute(_HOLD, [job_id])
        return cursor.fetchone() is not None
