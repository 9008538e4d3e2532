"""A forecast of a month's cost, based on the days that are over. There is none if these are too few. Pure.

The rest of the month is assumed to be like the last four weeks. If each weekday was seen twice, each remaining day
costs the mean of its weekday. Otherwise it costs the mean of all days. The range would contain the cost of four out of
five months that vary from day to day as these days did. Holidays, growth and plans are not considered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from math import isqrt

from tenants.core.months import Month

WINDOW_DAYS = 28
FEWEST_DAYS = 7
BY_WEEKDAY_DAYS = 14
_FOUR_OF_FIVE = Fraction(128, 100)
"""The number of standard deviations to each side that hold 80 % of a normal distribution."""


@dataclass(frozen=True)
class Forecast:
    micros: int
    low_micros: int
    high_micros: int
    from_days: int
    """The number of ended days that the forecast is based on."""
    by_weekday: bool


def forecast(month: Month, today: date, by_day: Mapping[date, int], first_used: date | None) -> Forecast | None:
    """Return the forecast. `by_day` is the cost in micro-units of one currency, including today's cost so far.

    Return None for fewer than seven whole days since the first usage, or for a month other than the current one.
    """
    if first_used is None or Month.of(today) != month:
        return None
    first = max(first_used, today - timedelta(days=WINDOW_DAYS))
    seen = [first + timedelta(days=n) for n in range((today - first).days)]
    if len(seen) < FEWEST_DAYS:
        return None
    costs = [by_day.get(day, 0) for day in seen]
    by_weekday = len(seen) >= BY_WEEKDAY_DAYS
    expected = [_expected(day, seen, costs, by_weekday=by_weekday) for day in seen]
    to_come = [day for day in month.days if day >= today]
    spent = sum(cost for day, cost in by_day.items() if month.first <= day <= today)
    today_so_far = by_day.get(today, 0)
    rest = [_expected(day, seen, costs, by_weekday=by_weekday) for day in to_come]
    # Today is not over. It is expected to cost as much as such a day costs, and at least its cost so far.
    rest[0] = max(rest[0] - today_so_far, Fraction(0))
    variance = Fraction(sum((cost - mean) ** 2 for cost, mean in zip(costs, expected, strict=True)), len(seen))
    spread = _FOUR_OF_FIVE * isqrt(int(variance * len(to_come)))
    likely = spent + sum(rest)
    return Forecast(
        micros=round(likely),
        low_micros=max(spent, round(likely - spread)),
        high_micros=round(likely + spread),
        from_days=len(seen),
        by_weekday=by_weekday,
    )


def _expected(day: date, seen: Sequence[date], costs: Sequence[int], *, by_weekday: bool) -> Fraction:
    alike = [
        cost
        for day_seen, cost in zip(seen, costs, strict=True)
        if not by_weekday or day_seen.weekday() == day.weekday()
    ]
    return Fraction(sum(alike), len(alike))
