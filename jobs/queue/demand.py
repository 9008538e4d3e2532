"""Counts the pages that wait for each model and how long they have waited, and notifies workers of them at once."""

from collections.abc import Collection

from django.db import connections

from inference.core.control import DEMAND
from inference.registry.tiers import current_tiers
from inference.workers.placement.fleet import Demand
from jobs.events.changes import control_channel
from jobs.queue.slots import is_served
from jobs.queue.tiered_demand import tiered_demand
from tenants.core.db.unit_of_work import OPERATOR, operator_work

COUNTED = 200
"""The number up to which the waiting pages of a model are counted. Any larger number makes no difference."""

_DEMAND = """
SELECT m.name || coalesce('.' || replace(m.tenant_id::text, '-', ''), '') || '@' || v.number,
    waiting.pages, extract(epoch FROM waiting.oldest)::float8
FROM inference_modelversion v
JOIN inference_servedmodel m ON m.id = v.served_model_id
CROSS JOIN LATERAL (
    SELECT count(*) AS pages, max(clock_timestamp() - greatest(first.created_at, first.run_after)) AS oldest
    FROM (
        -- Ids are in order of time, so these are the oldest; of a million pages the rest is never read.
        SELECT created_at, run_after FROM jobs_page p
        WHERE p.model_version_id = v.id AND p.state = 'queued' AND p.run_after <= clock_timestamp()
        ORDER BY p.id LIMIT %s
    ) first
) waiting
WHERE waiting.pages > 0
"""


def pages_demand(_known: Collection[str] = ()) -> dict[str, Demand]:
    """Return the demand of every version that has pages waiting, retired versions included.

    Where tiers are in use, the keys are those of the queues, which name the pool outside of the model's own.
    """
    tiers = current_tiers()
    if tiers.in_use:
        return tiered_demand(tiers)
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_DEMAND, [COUNTED])
        return {key: Demand(pages, max(0.0, oldest_s)) for key, pages, oldest_s in cursor.fetchall()}


def publish_demand(model_key: str) -> None:
    """Notify workers of new pages in a queue that no worker serves, because one may have to load it first."""
    if not is_served(model_key):
        control_channel().tell(DEMAND, model=model_key)
