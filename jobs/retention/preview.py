"""Counts what the next sweeps would erase, by tenant. Nothing is changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from jobs.retention.batches import counted_batches
from jobs.retention.due import counted
from jobs.retention.events import counted_events
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.retention import retention_of_all


@dataclass(frozen=True)
class Overdue:
    tenant_id: UUID
    what: str
    number: int
    oldest: datetime
    newest: datetime


def overdue(tenant_id: UUID | None = None) -> Iterator[Overdue]:
    with operator_work():
        retention = retention_of_all(None if tenant_id is None else [tenant_id])
        rows = {
            "documents": counted("document", retention),
            "jobs": counted("job", retention),
            "batches": counted_batches(retention),
            "events": counted_events(retention),
        }
    for what, found in rows.items():
        for row in found:
            yield Overdue(row.tenant_id, what, row.number, row.oldest, row.newest)
