"""Usage as rows of text: tiles, tables and single records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from uuid import UUID

from tenants.billing.dashboard.money import shown_money
from tenants.billing.dashboard.usage.chart import METER_TITLES
from tenants.billing.dashboard.usage.filters import key_name
from tenants.billing.usage.forecast import Forecast
from tenants.billing.usage.models import UsageRecord
from tenants.billing.usage.selectors import Place, is_cached
from tenants.billing.usage.summary import Summary, Total
from tenants.core.times import day_text, month_text
from tenants.plans.wording import MICROS, exact_money, number_of, rounded_money, symbol_of, used_words

MAX_NAMED = 50
"""The most models or keys in a table. The CSV contains all of them."""
_KINDS = {"call": "Call", "cache": "Call", "batch_line": "Batch line", "hosting": "Hosting"}


@dataclass(frozen=True)
class Tile:
    title: str
    value: str
    unit: str = ""
    note: str = ""
    exact: str = ""
    """The exact value that `value` is rounded from, shown on hover."""


@dataclass(frozen=True)
class UsageRow:
    name: str
    quantities: list[tuple[str, str]]
    """Pairs of meter title and number, for each meter of the table. The number is empty if nothing was used."""
    costs: Sequence[str]
    share_percent: int
    cached_percent: int = 0
    """The percentage of the records that were cache hits."""
    query: str = ""
    """The query string of the page for this row alone. It follows the month."""
    at: str = ""
    """The day or month of the row, as URLs write it."""


def tiles(total: Total) -> list[Tile]:
    """Return tiles for the cost in each currency, then for the quantity of each meter."""
    spent = [
        Tile(
            "Cost",
            rounded_money(amount, currency).removesuffix(f" {symbol_of(currency)}"),
            symbol_of(currency),
            exact=exact_money(amount, currency),
        )
        for currency, amount in sorted(total.amounts_micros.items())
    ]
    used = [
        Tile(title, number_of(total.quantities[meter], meter))
        for meter, title in METER_TITLES.items()
        if total.quantities.get(meter)
    ]
    return [*spent, *used]


def forecast_tiles(forecasts: Mapping[str, Forecast]) -> list[Tile]:
    """Return the forecasts, rounded to a useful precision. A forecast to a millionth would claim too much certainty."""
    return [
        Tile(
            "Forecast for the month",
            f"{found.micros / MICROS:,.2f}",
            symbol_of(currency),
            f"{found.low_micros / MICROS:,.2f} to {found.high_micros / MICROS:,.2f} (80 % range), "
            f"from the last {found.from_days} days",
        )
        for currency, found in sorted(forecasts.items())
    ]


def cache_tiles(total: Total) -> list[Tile]:
    """Return a tile for cache hits and the amount they saved. Return none if there were no cache hits."""
    if not total.records_cached:
        return []
    saved = " + ".join(
        rounded_money(amount, currency) for currency, amount in sorted(total.saved_micros.items()) if amount
    )
    share = f"{cached_percent(total)} %"
    note = f"saved {saved}" if saved else "no savings"
    return [Tile("From the cache", share, "", note)]


def meters_of(summary: Summary) -> list[str]:
    return [meter for meter in METER_TITLES if summary.live.quantities.get(meter)]


def rows_by_name(summary: Summary, others: str, shown: Callable[[str], tuple[str, str]]) -> list[UsageRow]:
    """Return rows of models or keys, the most expensive in the main currency first. If there are many, the rest are
    summed up in one row.

    `shown` returns the displayed name and the query string of the row's own page.
    """
    first = summary.currencies[0] if summary.currencies else ""
    ordered = sorted(summary.by_model.items(), key=lambda pair: (-pair[1].amounts_micros.get(first, 0), pair[0]))
    named, rest = ordered[:MAX_NAMED], ordered[MAX_NAMED:]
    rows = []
    for name, total in named:
        title, query = shown(name)
        rows.append(replace(_row(title, total, summary, first), query=query))
    if rest:
        together = Total()
        for _, total in rest:
            together.merge(total)
        rows.append(_row(f"{len(rest):,} {others}", together, summary, first))
    return rows


def rows_by_day(summary: Summary, *, months: bool) -> list[UsageRow]:
    """List the newest rows first. With `months`, each day stands for its month."""
    days: list[tuple[date, Total]] = sorted(summary.by_day.items(), reverse=True)
    return [
        replace(
            _row(month_text(day) if months else day_text(day), total, summary, ""),
            at=f"{day:%Y-%m}" if months else f"{day:%Y-%m-%d}",
        )
        for day, total in days
    ]


def _row(name: str, total: Total, summary: Summary, currency: str) -> UsageRow:
    of_all = summary.live.amounts_micros.get(currency, 0)
    quantities = [
        (
            METER_TITLES[meter],
            number_of(total.quantities[meter], meter) if total.quantities.get(meter) else "",
        )
        for meter in meters_of(summary)
    ]
    share = round(100 * total.amounts_micros.get(currency, 0) / of_all) if of_all else 0
    costs = [shown_money(amount, currency) for currency, amount in sorted(total.amounts_micros.items())]
    return UsageRow(name, quantities, costs, share, cached_percent(total))


def cached_percent(total: Total) -> int:
    return round(100 * total.records_cached / total.records) if total.records else 0


@dataclass(frozen=True)
class RecordRow:
    at: datetime
    kind: str
    page_id: UUID | None
    """The id of the job's page that the record is for."""
    model: str
    who: str
    used: str
    cost: str
    saved: str
    """The saved amount, or an empty text if nothing was saved."""
    cached: bool
    livemode: bool


def record_row(record: UsageRecord, names: Mapping[str, str]) -> RecordRow:
    """Return the row. `names` holds the keys' names by id."""
    # The cache hit of a page has a record id that differs from its source id. A call's record has one id for both.
    of_page = record.source_kind == "page" or (record.source_kind == "cache" and record.source_id != record.id)
    kind = "Page" if of_page else _KINDS.get(record.source_kind, record.source_kind)
    return RecordRow(
        at=record.created_at,
        kind=kind,
        page_id=record.source_id if of_page else None,
        model=f"{record.model}@{record.version}",
        who=key_name(str(record.key_id or ""), names),
        used=used_words(record.quantity, record.meter),
        cost=shown_money(record.amount_micros, record.currency),
        saved=shown_money(record.saved_micros, record.currency) if record.saved_micros else "",
        cached=is_cached(record),
        livemode=record.livemode,
    )


def written_place(record: UsageRecord) -> str:
    return f"{record.created_at.isoformat()}_{record.id}"


def place_of(text: str) -> Place | None:
    """Parse a position. Return None if it is invalid. The list then begins at its start."""
    at, _, last = text.partition("_")
    try:
        moment = datetime.fromisoformat(at)
        return (moment, UUID(last)) if moment.tzinfo else None
    except ValueError:
        return None
