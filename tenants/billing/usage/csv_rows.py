"""Usage as rows of a CSV file, one part at a time, so that a year takes no more memory than a day."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from tenants.billing.usage.models import UsageRecord
from tenants.billing.usage.selectors import Place, is_cached, records
from tenants.billing.usage.sums import Row, end_of, sums
from tenants.billing.usage.usage_query import Group, UsageQuery
from tenants.core.csv_cells import safe
from tenants.core.db.unit_of_work import unit_of_work
from tenants.plans.prices import METERS, display

AT_ONCE = 1_000
_TITLES: dict[Group, str] = {
    "model": "model",
    "key": "key_id",
    "meter": "meter",
    "livemode": "mode",
    "cached": "cached",
}
_COLUMNS = {"gpu_second": "gpu_milliseconds"}
_RECORD: Mapping[str, Callable[[UsageRecord], object]] = {
    "at": lambda record: f"{record.created_at:%Y-%m-%dT%H:%M:%S.%fZ}",
    "kind": lambda record: record.source_kind,
    "source_id": lambda record: record.source_id,
    "model": lambda record: record.model,
    "version": lambda record: record.version,
    "key_id": lambda record: record.key_id or "",
    "mode": lambda record: "live" if record.livemode else "test",
    "cached": lambda record: "true" if is_cached(record) else "false",
    "meter": lambda record: record.meter,
    "quantity": lambda record: record.quantity,
    "currency": lambda record: record.currency,
    "amount_micros": lambda record: record.amount_micros,
    "amount": lambda record: display(record.amount_micros),
    "saved_micros": lambda record: record.saved_micros,
    "saved": lambda record: display(record.saved_micros),
    "id": lambda record: record.id,
}
"""The columns of the file of records, and their cells."""


def sum_lines(tenant_id: UUID, query: UsageQuery) -> Iterator[bytes]:
    """Yield a text line for each row and currency. Each part is read in its own unit of work."""
    groups = [_TITLES[group] for group in query.group_by]
    meters = [_COLUMNS.get(meter, f"{meter}s") for meter in METERS]
    money = ("currency", "amount_micros", "amount", "saved_micros", "saved")
    yield _written([("from", "to", *groups, *meters, "records", "records_cached", *money)])
    after: tuple[datetime, Sequence[str]] | None = None
    while True:
        with unit_of_work(tenant_id):
            rows = sums(query, limit=AT_ONCE, after=after)
        yield _written(cells for row in rows for cells in _of_row(row, query))
        if len(rows) < AT_ONCE:
            return
        after = rows[-1].at, list(rows[-1].of.values())


def record_lines(tenant_id: UUID, query: UsageQuery) -> Iterator[bytes]:
    yield _written([list(_RECORD)])
    after: Place | None = None
    while True:
        with unit_of_work(tenant_id):
            found = records(query, limit=AT_ONCE, after=after)
        yield _written([cell(record) for cell in _RECORD.values()] for record in found)
        if len(found) < AT_ONCE:
            return
        after = found[-1].created_at, found[-1].id


def _of_row(row: Row, query: UsageQuery) -> Iterator[Sequence[object]]:
    """Yield the cells of a row. Only the first currency has quantities and counts, so that columns can be summed."""
    modes = {"true": "live", "false": "test"}
    named = [modes[text] if group == "livemode" else text for group, text in row.of.items()]
    total = row.sum
    counted = [*(total.quantities.get(meter, 0) for meter in METERS), total.records, total.records_cached]
    for position, amount in enumerate(total.amounts):
        yield (
            f"{row.at:%Y-%m-%dT%H:%M:%SZ}",
            f"{end_of(row.at, query):%Y-%m-%dT%H:%M:%SZ}",
            *named,
            *(counted if position == 0 else [""] * len(counted)),
            amount.currency,
            amount.amount_micros,
            display(amount.amount_micros),
            amount.saved_micros,
            display(amount.saved_micros),
        )


def _written(rows: Iterable[Sequence[object]]) -> bytes:
    written = io.StringIO()
    writer = csv.writer(written)
    for row in rows:
        writer.writerow([safe(cell) if isinstance(cell, str) and not _is_number(cell) else cell for cell in row])
    return written.getvalue().encode()


def _is_number(cell: str) -> bool:
    """Return whether the cell is a number. Savings can be negative, and a minus sign then begins no formula."""
    return cell.removeprefix("-").replace(".", "", 1).isdecimal()
