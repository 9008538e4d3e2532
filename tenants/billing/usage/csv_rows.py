"""Usage as rows of a CSV file, one part at a time, so that a year takes no more memory than a day."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from uuid import UUID

from tenants.billing.usage.models import UsageRecord
from tenants.billing.usage.records import Place, is_cached, records
from tenants.billing.usage.sums import Row, Sum, end_of, sums
from tenants.billing.usage.usage_query import Group, UsageQuery
from tenants.core.db.unit_of_work import unit_of_work
from tenants.plans.prices import METERS, display

AT_ONCE = 1_000
_DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")
_TITLES: dict[Group, str] = {
    "model": "model",
    "key": "key_id",
    "meter": "meter",
    "livemode": "mode",
    "cached": "cached",
}
_COLUMNS = {"gpu_second": "gpu_milliseconds"}
RECORD_COLUMNS = (
    "at",
    "kind",
    "source_id",
    "model",
    "version",
    "key_id",
    "mode",
    "cached",
    "meter",
    "quantity",
    "currency",
    "amount_micros",
    "amount",
    "saved_micros",
    "saved",
    "id",
)


def safe(text: str) -> str:
    """Prefix a cell that begins like a formula with an apostrophe, so that a spreadsheet treats it as text."""
    return f"'{text}" if text.startswith(_DANGEROUS) else text


def sum_lines(tenant_id: UUID, asked: UsageQuery) -> Iterator[bytes]:
    """Yield a text line for each row and currency. Each part is read in its own unit of work."""
    groups = [_TITLES[group] for group in asked.group_by]
    meters = [_COLUMNS.get(meter, f"{meter}s") for meter in METERS]
    money = ("currency", "amount_micros", "amount", "saved_micros", "saved")
    yield _written([("from", "to", *groups, *meters, "records", "records_cached", *money)])
    after: tuple[datetime, Sequence[str]] | None = None
    while True:
        with unit_of_work(tenant_id):
            rows = sums(asked, limit=AT_ONCE, after=after)
        yield _written(cells for row in rows for cells in _of_row(row, asked))
        if len(rows) < AT_ONCE:
            return
        after = rows[-1].at, list(rows[-1].of.values())


def record_lines(tenant_id: UUID, asked: UsageQuery) -> Iterator[bytes]:
    yield _written([RECORD_COLUMNS])
    after: Place | None = None
    while True:
        with unit_of_work(tenant_id):
            found = records(asked, limit=AT_ONCE, after=after)
        yield _written(_of_record(record) for record in found)
        if len(found) < AT_ONCE:
            return
        after = found[-1].created_at, found[-1].id


def _of_row(row: Row, asked: UsageQuery) -> Iterator[Sequence[object]]:
    """Yield the cells of a row. Quantities and counts are only in the text line of the first currency, so that columns
    can be summed.
    """
    named = [_in_words(group, text) for group, text in row.of.items()]
    for place, amount in enumerate(row.sum.amounts):
        counted = _counted(row.sum) if place == 0 else [""] * (len(METERS) + 2)
        yield (
            f"{row.at:%Y-%m-%dT%H:%M:%SZ}",
            f"{end_of(row.at, asked):%Y-%m-%dT%H:%M:%SZ}",
            *named,
            *counted,
            amount.currency,
            amount.amount_micros,
            display(amount.amount_micros),
            amount.saved_micros,
            display(amount.saved_micros),
        )


def _counted(total: Sum) -> list[object]:
    return [*(total.quantities.get(meter, 0) for meter in METERS), total.records, total.records_cached]


def _in_words(group: Group, text: str) -> str:
    return {"true": "live", "false": "test"}[text] if group == "livemode" else text


def _of_record(record: UsageRecord) -> Sequence[object]:
    return (
        f"{record.created_at:%Y-%m-%dT%H:%M:%S.%fZ}",
        record.source_kind,
        record.source_id,
        record.model,
        record.version,
        record.key_id or "",
        "live" if record.livemode else "test",
        "true" if is_cached(record) else "false",
        record.meter,
        record.quantity,
        record.currency,
        record.amount_micros,
        display(record.amount_micros),
        record.saved_micros,
        display(record.saved_micros),
        record.id,
    )


def _written(rows: Iterable[Sequence[object]]) -> bytes:
    written = io.StringIO()
    writer = csv.writer(written)
    for row in rows:
        writer.writerow(
            [safe(cell) if isinstance(cell, str) and not _is_number(cell) else cell for cell in row]
        )
    return written.getvalue().encode()


def _is_number(cell: str) -> bool:
    """Return whether the cell is a number. Savings can be negative, and a minus sign then begins no formula."""
    return cell.removeprefix("-").replace(".", "", 1).isdecimal()
