"""What the chart of a month draws: for each measure, one series of daily values per model, or per key."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from tenants.billing.months import Month
from tenants.billing.prices import MS_PER_SECOND
from tenants.billing.summary import Summary, UsageLine

MOST_SERIES = 6
OTHERS = {"model": "other models", "key": "other callers"}
_REST = "\0"
"""Instead of a name: what is drawn last, whatever it comes to."""
METER_TITLES = {"page": "Pages", "token": "Tokens", "call": "Calls", "gpu_second": "GPU seconds"}


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
    """The keys that may be drawn by themselves, whatever measure is chosen: the first by each."""
    totals: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for line in of_keys:
        totals[f"cost {line.currency}"][line.model] += line.amount_micros
        totals[line.meter][line.model] += line.quantity
    return {
        key
        for of_measure in totals.values()
        for key in sorted(of_measure, key=lambda one: (-of_measure[one], one))[:MOST_SERIES]
    }


def rest_of(lines: Sequence[UsageLine], leaders: Sequence[UsageLine]) -> list[UsageLine]:
    """What each day came to without its leaders."""
    rest: dict[tuple[date, str, str, bool], list[int]] = defaultdict(lambda: [0, 0])
    for sign, of in ((1, lines), (-1, leaders)):
        for line in of:
            numbers = rest[line.day, line.meter, line.currency, line.livemode]
            numbers[0] += sign * line.quantity
            numbers[1] += sign * line.amount_micros
    return [
        UsageLine(day, _REST, meter, currency, mode, quantity, micros, 0)
        for (day, meter, currency, mode), (quantity, micros) in rest.items()
        if quantity or micros
    ]


def chart_of(
    month: Month, by_model: Sequence[UsageLine], by_key: Sequence[UsageLine], summary: Summary
) -> dict[str, Any]:
    """The names in `by_key` are those of keys; it may end in the rest of them (`rest_of`)."""
    return {
        "days": [f"{day:%Y-%m-%d}" for day in month.days],
        "measures": {
            "model": _measures(month, by_model, summary, OTHERS["model"]),
            "key": _measures(month, by_key, summary, OTHERS["key"]),
        },
    }


def _measures(
    month: Month, lines: Sequence[UsageLine], summary: Summary, others: str
) -> list[dict[str, Any]]:
    measures = []
    for currency in summary.currencies:
        cost = Measure(f"cost-{currency}", f"Cost in {currency}", currency, [])
        charged = [(line, line.amount_micros / 1_000_000) for line in lines if line.currency == currency]
        measures.append(_filled(cost, month, charged, others))
    for meter, title in METER_TITLES.items():
        counted = [(line, _shown(line)) for line in lines if line.meter == meter]
        if counted:
            measures.append(_filled(Measure(meter, title, "", []), month, counted, others))
    return [asdict(measure) for measure in measures]


def _shown(line: UsageLine) -> float:
    return line.quantity / MS_PER_SECOND if line.meter == "gpu_second" else float(line.quantity)


def _filled(
    measure: Measure, month: Month, counted: Sequence[tuple[UsageLine, float]], others: str
) -> Measure:
    by_name: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(month.days))
    for line, value in counted:
        by_name[line.model][line.day.day - 1] += value
    ordered = sorted(by_name.items(), key=lambda pair: (-sum(pair[1]), pair[0]))
    return replace(measure, series=_with_others([Series(*one) for one in ordered], others))


def _with_others(series: list[Series], others: str) -> list[Series]:
    """More colours than these cannot be told apart."""
    named = [one for one in series if one.name != _REST]
    rest = [one for one in series if one.name == _REST]
    if len(series) <= MOST_SERIES:
        return [*named, *(replace(one, name=others) for one in rest)]
    rest += named[MOST_SERIES - 1 :]
    sums = [sum(day) for day in zip(*(one.values for one in rest), strict=True)]
    return [*named[: MOST_SERIES - 1], Series(others, sums)]
