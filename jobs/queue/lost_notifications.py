"""Pages that were announced to workers but never begun, and that are to be announced again."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections

from jobs.queue.waiting_queues import room_within
from tenants.core.db.unit_of_work import OPERATOR

LOST = """page.model_version_id = %(version)s AND page.state = 'queued' AND page.run_after <= statement_timestamp()
    AND page.renotify_at <= statement_timestamp() AND tenant.state = 'active'"""
LIMITED = "coalesce(tenant.pages_at_once, %(at_once)s) > 0"

_OF_LIMITED = f"""
SELECT page.id, page.tenant_id, coalesce(tenant.pages_at_once, %(at_once)s)
FROM jobs_page page JOIN tenants_chosenlimits tenant ON tenant.id = page.tenant_id
WHERE {LOST} AND {LIMITED} ORDER BY page.priority, page.id FOR UPDATE OF page SKIP LOCKED
"""  # noqa: S608  # made of constants alone
_TELL_AGAIN = """
UPDATE jobs_page SET renotify_at = clock_timestamp() + make_interval(secs => %(wake_s)s) WHERE id = ANY(%(pages)s)
"""


def take_lost_of_limited(version_id: int, most: int, wake_s: float) -> list[tuple[UUID, UUID]]:
    """Take lost pages of tenants with a limit, and return the pages and their tenants. They stay within what these
    tenants may have at once, since other pages of theirs may be under way by now.

    This runs under the lock of the version, in the operator's scope.
    """
    values: dict[str, Any] = {
        "version": version_id,
        "at_once": settings.MAAS_PAGES_AT_ONCE or 0,
        "wake_s": wake_s,
    }
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_OF_LIMITED, values)
        told = list(_with_room(cursor.fetchall()))[:most]
        cursor.execute(_TELL_AGAIN, {**values, "pages": [page for page, _ in told]})
    return told


def _with_room(lost: list[tuple[UUID, UUID, int]]) -> Iterator[tuple[UUID, UUID]]:
    left = room_within({tenant: cap for _, tenant, cap in lost})
    for page, tenant, _ in lost:
        if left[tenant] > 0:
            left[tenant] -= 1
            yield page, tenant
