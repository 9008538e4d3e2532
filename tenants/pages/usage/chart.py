"""What the chart of a month draws: for each measure, one series of daily values per model."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tenants.billing.months import Month
from tenants.billing.summary import Summary, UsageLine

MOST_SERIES = 6
OTHERS = "other models"
METER_TITLES = {"page": "Pages", "token": "Tokens", "call": "Calls"}


@dataclass(frozen=True)
class Series:
    model: str
    values: list[float]


@dataclass(frozen=True)
class Measure:
    name: str
    title: str
    unit: str
    series: list[Series]


def chart_of(month: Month, lines: Sequence[UsageLine], summary: Summary) -> dict[str, Any]:
    live = [line for line in lines if line.livemode]
    measures = [
        _measure(
            f"cost-{currency}",
            f"Cost in {currency}",
            currency,
            month,
            [(line, line.amount_micros / 1_000_000) for line in live if line.currency == currency],
        )
        for currency in summary.currencies
    ]
    for meter, title in METER_TITLES.items():
        counted = [(line, float(line.quantity)) for line in live if line.meter == meter]
        if counted:
            measures.append(_measure(meter, title, "", month, counted))
    days = [f"{day:%Y-%m-%d}" for day in month.days]
    return {"days": days, "measures": [asdict(measure) for measure in measures]}


def _measure(
    name: str, title: str, unit: str, month: Month, counted: Sequence[tuple[UsageLine, float]]
) -> Measure:
    by_model: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(month.days))
    for line, value in counted:
        by_model[line.model][line.day.day - 1] += value
    ordered = sorted(by_model.items(), key=lambda pair: (-sum(pair[1]), pair[0]))
    return Measure(name, title, unit, _with_others([Series(model, values) for model, values in ordered]))


def _with_others(series: list[Series]) -> list[Series]:
    """More colours than these cannot be told apart."""
    if len(series) <= MOST_SERIES:
        return series
    rest = series[MOST_SERIES - 1 :]
    sums = [sum(day) for day in zip(*(one.values for one in rest), strict=True)]
    return [*series[: MOST_SERIES - 1], Series(OTHERS, sums)]
