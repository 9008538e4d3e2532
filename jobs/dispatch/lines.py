"""Whose pages of a version wait to be released: found line by line, and counted only where that decides something."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections

from jobs.dispatch.fairness import Line
from tenants.context import OPERATOR

CAPS_LOCK = 0x6D616173636170
"""Taken after a version's lock: what a tenant may have at once holds over all versions together."""

_DUE = "model_version_id = %(version)s AND state = 'queued' AND run_after <= statement_timestamp()"
WAITS = f"{_DUE} AND wake_again_at IS NULL"

# Said as a range, in its order: only the index of lines has that, whatever the planner last heard of the queue's size.
OF_LINE = """(page.priority, page.tenant_id) >= (line.priority, line.tenant_id)
    AND (page.priority, page.tenant_id) <= (line.priority, line.tenant_id)
    ORDER BY page.priority, page.tenant_id, page.id"""

# All of them, said as a range for the same reason.
_FROM_THE_FIRST = "(priority, tenant_id) >= (-32768, '00000000-0000-0000-0000-000000000000')"

# From one line to the next, so that of a line with a hundred thousand pages one is looked at.
LINES = f"""
WITH RECURSIVE line AS (
    (SELECT priority, tenant_id FROM jobs_page WHERE {WAITS} AND {_FROM_THE_FIRST}
        ORDER BY priority, tenant_id LIMIT 1)
    UNION ALL
    SELECT next.priority, next.tenant_id FROM line CROSS JOIN LATERAL (
        SELECT priority, tenant_id FROM jobs_page
        WHERE {WAITS} AND (priority, tenant_id) > (line.priority, line.tenant_id)
        ORDER BY priority, tenant_id LIMIT 1
    ) next
)
SELECT line.tenant_id, line.priority, tenant.weight, coalesce(turn.ends, 0),
    nullif(coalesce(tenant.pages_at_once, %(at_once)s), 0),
    (SELECT coalesce(max(began), 0) FROM jobs_turn WHERE model_version_id = %(version)s)
FROM line
JOIN tenants_chosenlimits tenant ON tenant.id = line.tenant_id AND tenant.state = 'active'
LEFT JOIN jobs_turn turn ON turn.model_version_id = %(version)s AND turn.tenant_id = line.tenant_id
    AND turn.priority = line.priority
"""  # noqa: S608  # made of constants alone

PAGES = f"""
SELECT line.tenant_id, line.priority, waiting.pages
FROM unnest(%(tenants)s::uuid[], %(priorities)s::smallint[]) AS line (tenant_id, priority)
CROSS JOIN LATERAL (
    SELECT count(*) AS pages FROM (SELECT FROM jobs_page page WHERE {WAITS} AND {OF_LINE} LIMIT %(most)s) counted
) waiting
"""  # noqa: S608

# What was told so long ago that it is told again does not count: of a model that no worker takes it would count for
# ever, and keep its tenant from all others.
_UNDER_WAY = """
SELECT tenant_id, count(*) FROM (
    SELECT tenant_id FROM jobs_page WHERE state = 'running' AND tenant_id = ANY(%(tenants)s)
    UNION ALL
    SELECT tenant_id FROM jobs_page
    WHERE state = 'queued' AND wake_again_at > statement_timestamp() AND tenant_id = ANY(%(tenants)s)
) page GROUP BY tenant_id
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    lines: Sequence[Line]
    """Of each it is known that a page waits, not how many; its room is all that its tenant may have at once."""
    now: float
    """The version's virtual time."""


def waiting_lines(version_id: int, hefts: Mapping[str, float]) -> Waiting:
    """In the operator's scope, like all of this."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(LINES, {"version": version_id, "at_once": settings.MAAS_PAGES_AT_ONCE})
        rows = cursor.fetchall()
    lines = [
        Line(tenant, priority, 1, weight, ends, hefts.get(str(tenant), 1.0), cap)
        for tenant, priority, weight, ends, cap, _ in rows
    ]
    return Waiting(lines, rows[0][5] if rows else 0.0)


def with_room(lines: Sequence[Line], *, alone: bool = True) -> list[Line]:
    """How many more pages each one's tenant may have under way.

    Counted `alone`: until the transaction ends nobody else releases pages of a tenant with such a limit, of whatever
    version. Who waits for that too long gives up, as for a version's lock.
    """
    left = room_within({line.tenant: line.room for line in lines if line.room is not None}, alone=alone)
    return [line if line.room is None else replace(line, room=left[line.tenant]) for line in lines]


def room_within(caps: Mapping[UUID, int], *, alone: bool = True) -> dict[UUID, int]:
    """By tenant, how many more pages each may have under way that may have so many in all."""
    if not caps:
        return {}
    with connections[OPERATOR].cursor() as cursor:
        if alone:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [CAPS_LOCK])
        cursor.execute(_UNDER_WAY, {"tenants": list(caps)})
        under_way: dict[UUID, int] = dict(cursor.fetchall())
    return {tenant: max(0, cap - under_way.get(tenant, 0)) for tenant, cap in caps.items()}


def with_pages(version_id: int, lines: Sequence[Line], most: int) -> list[Line]:
    """Counted up to `most` of each."""
    if most <= 1 or not lines:
        return list(lines)
    values: dict[str, Any] = {
        "version": version_id,
        "most": most,
        "tenants": [line.tenant for line in lines],
        "priorities": [line.priority for line in lines],
    }
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(PAGES, values)
        pages = {(tenant, priority): count for tenant, priority, count in cursor.fetchall()}
    return [replace(line, waiting=pages[line.tenant, line.priority]) for line in lines]
