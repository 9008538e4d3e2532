"""Rows of the tables of usage, in words."""

from dataclasses import dataclass
from datetime import date

from tenants.billing.prices import display
from tenants.billing.summary import Summary, Total
from tenants.billing.wording import money
from tenants.pages.usage.chart import METER_TITLES
from tenants.pages.wording import whole


@dataclass(frozen=True)
class Tile:
    title: str
    value: str
    unit: str = ""


@dataclass(frozen=True)
class UsageRow:
    name: str
    quantities: list[tuple[str, str]]
    """Title of the meter and number, for each meter of the table; the number is empty where nothing was used."""
    costs: list[str]
    share_percent: int


def costs(total: Total) -> list[str]:
    return [money(amount, currency) for currency, amount in sorted(total.amounts_micros.items())]


def tiles(total: Total) -> list[Tile]:
    """What was spent in each currency, then what was used by each meter."""
    spent = [
        Tile("Cost", display(amount), currency) for currency, amount in sorted(total.amounts_micros.items())
    ]
    used = [
        Tile(title, whole(total.quantities[meter]))
        for meter, title in METER_TITLES.items()
        if total.quantities.get(meter)
    ]
    return [*spent, *used]


def meters_of(summary: Summary) -> list[str]:
    return [meter for meter in METER_TITLES if summary.live.quantities.get(meter)]


def rows_by_model(summary: Summary) -> list[UsageRow]:
    """Dearest first, in the currency that most is charged in."""
    first = summary.currencies[0] if summary.currencies else ""
    ordered = sorted(
        summary.by_model.items(), key=lambda pair: (-pair[1].amounts_micros.get(first, 0), pair[0])
    )
    return [_row(model, total, summary, first) for model, total in ordered]


def rows_by_day(summary: Summary) -> list[UsageRow]:
    days: list[tuple[date, Total]] = sorted(summary.by_day.items(), reverse=True)
    return [_row(f"{day:%Y-%m-%d}", total, summary, "") for day, total in days]


def _row(name: str, total: Total, summary: Summary, currency: str) -> UsageRow:
    of_all = summary.live.amounts_micros.get(currency, 0)
    quantities = [
        (METER_TITLES[meter], whole(total.quantities[meter]) if total.quantities.get(meter) else "")
        for meter in meters_of(summary)
    ]
    share = round(100 * total.amounts_micros.get(currency, 0) / of_all) if of_all else 0
    return UsageRow(name, quantities, costs(total), share)
