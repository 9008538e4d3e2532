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
        for row in counted("document", retention):
            yield Overdue(row.tenant_id, "documents", row.number, row.oldest, row.newest)
        for row in counted("job", retention):
            yield Overdue(row.tenant_id, "jobs", row.number, row.oldest, row.newest)
        for row in counted_batches(retention):
            yield Overdue(row.tenant_id, "batches", row.number, row.oldest, row.newest)
        for row in counted_events(retention):
            yield Overdue(row.tenant_id, "events", row.number, row.oldest, row.newest)
