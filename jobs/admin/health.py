"""The health of a tenant's work, for the operator's list of tenants: failing jobs, and webhooks that were given up."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connections

from jobs.webhooks.models import WebhookEndpoint
from tenants.admin_base.health import Trouble, Troubles
from tenants.core.db.unit_of_work import OPERATOR

NEWEST = 100
FEWEST_FAILED, FAILING_SHARE = 5, 0.2
"""The fewest failed jobs, and their least share of ended jobs, that are trouble. Fewer are a sender's bad documents."""

# This reads only the newest jobs of each tenant, however many it has.
_FARES = """
SELECT tenant.id, newest.failed, newest.ended, hooks.disabled
FROM unnest(%(tenants)s::uuid[]) AS tenant (id)
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE state = 'failed') AS failed, count(*) AS ended FROM (
        SELECT state, created_at FROM jobs_job WHERE tenant_id = tenant.id ORDER BY id DESC LIMIT %(newest)s
    ) job
    WHERE state IN ('succeeded', 'partially_succeeded', 'failed')
      AND created_at > statement_timestamp() - interval '1 day'
) newest
CROSS JOIN LATERAL (
    SELECT count(*) AS disabled FROM jobs_webhookendpoint
    WHERE tenant_id = tenant.id AND kind = 'endpoint' AND state = 'disabled' AND disabled_reason <> %(by_hand)s
) hooks
"""


def is_failing(failed: int, ended: int) -> bool:
    return failed >= FEWEST_FAILED and failed >= FAILING_SHARE * ended


def troubles_with_work(tenant_ids: Sequence[UUID]) -> Troubles:
    """Return the troubles of each tenant. Call this in an operator's work."""
    values: dict[str, Any] = {
        "tenants": list(tenant_ids),
        "newest": NEWEST,
        "by_hand": str(WebhookEndpoint.Reason.BY_HAND),
    }
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_FARES, values)
        rows = cursor.fetchall()
    return {tenant_id: _troubles(failed, ended, disabled) for tenant_id, failed, ended, disabled in rows}


def _troubles(failed: int, ended: int, disabled: int) -> list[Trouble]:
    found = []
    if is_failing(failed, ended):
        found.append(Trouble(f"{failed} of the last {ended} jobs failed", "jobs_job", {"state__exact": "failed"}))
    if disabled:
        text = f"{disabled} {'webhook' if disabled == 1 else 'webhooks'} disabled"
        found.append(Trouble(text, "jobs_webhookendpoint", {"state__exact": "disabled"}))
    return found
