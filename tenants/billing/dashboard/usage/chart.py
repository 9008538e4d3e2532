"""The data of the chart of a month or a year: for each measure, one series of values per model or per key."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from tenants.billing.usage.summary import Summary, UsageLine
from tenants.plans.prices import MS_PER_SECOND
from tenants.plans.wording import MICROS, symbol_of

MAX_SERIES = 6
OTHERS = {"model": "other models", "key": "other callers"}
_REST = "\0"
"""The name of the series that is drawn last, whatever its sum."""
METER_TITLES = {
    "page": "Pages",
    "token": "Tokens",
    "call": "Calls",
    "gpu_second": "GPU seconds",
    "model_hour": "Model hours",
}


@dataclass(frozen=True)
class Series:
    name: str
    values: list[float]


@dataclass(frozen=True)
class Measure:
    name: str
    title: str
    unit: str
    series: list[Series]


def leading(of_keys: Sequence[UsageLine]) -> set[str]:
    """Return the keys that may get their own series, whichever measure is chosen: the largest ones by each measure."""
    totals: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for line in of_keys:
        totals[f"cost {line.currency}"][line.model] += line.amount_micros
        totals[line.meter][line.model] += line.quantity
    return {
        key
        for of_measure in totals.values()
        for key in sorted(of_measure, key=lambda name: (-of_measure[name], name))[:MAX_SERIES]
    }


def rest_of(lines: Sequence[UsageLine], leaders: Sequence[UsageLine]) -> list[UsageLine]:
    """Return each day's sums minus those of the leading keys. These were read a moment later and may have grown."""
    rest: dict[tuple[date, str, str, bool], list[int]] = defaultdict(lambda: [0, 0])
    for sign, of in ((1, lines), (-1, leaders)):
        for line in of:
            numbers = rest[line.day, line.meter, line.currency, line.livemode]
            numbers[0] += sign * line.quantity
            numbers[1] += sign * line.amount_micros
    return [
        UsageLine(day, _REST, meter, currency, mode, max(0, quantity), max(0, micros), 0)
        for (day, meter, currency, mode), (quantity, micros) in rest.items()
        if quantity > 0 or micros > 0
    ]


def chart_of(
    days: Sequence[date], by_model: Sequence[UsageLine], by_key: Sequence[UsageLine], summary: Summary
) -> dict[str, Any]:
    """Return the data for each of `days` or first days of months. `by_key` is named by key, and may have the rest."""
    by = {"model": by_model, "key": by_key}
    return {
        "days": [f"{day:%Y-%m-%d}" for day in days],
        "measures": {name: _measures(days, lines, summary, OTHERS[name]) for name, lines in by.items()},
    }


def _measures(days: Sequence[date], lines: Sequence[UsageLine], summary: Summary, others: str) -> list[dict[str, Any]]:
    measures = []
    for currency in summary.currencies:
        charged = [(line, line.amount_micros / MICROS) for line in lines if line.currency == currency]
        series = _series(days, charged, others)
        measures.append(Measure(f"cost-{currency}", f"Cost in {currency}", symbol_of(currency), series))
    for meter, title in METER_TITLES.items():
        unit = MS_PER_SECOND if meter == "gpu_second" else 1
        counted = [(line, line.quantity / unit) for line in lines if line.meter == meter]
        if counted:
            measures.append(Measure(meter, title, "", _series(days, counted, others)))
    return [asdict(measure) for measure in measures]


def _series(days: Sequence[date], counted: Sequence[tuple[UsageLine, float]], others: str) -> list[Series]:
    """Return the series by size. The smallest are merged, because more colors than these cannot be distinguished."""
    by_name: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(days))
    for line, value in counted:
        by_name[line.model][days.index(line.day)] += value
    series = [
        Series(*named_values) for named_values in sorted(by_name.items(), key=lambda pair: (-sum(pair[1]), pair[0]))
    ]
    named = [each for each in series if each.name != _REST]
    rest = [each for each in series if each.name == _REST]
    if len(series) <= MAX_SERIES:
        return [*named, *(replace(each, name=others) for each in rest)]
    rest += named[MAX_SERIES - 1 :]
    sums = [sum(day) for day in zip(*(each.values for each in rest), strict=True)]
    return [*named[: MAX_SERIES - 1], Series(others, sums)]
