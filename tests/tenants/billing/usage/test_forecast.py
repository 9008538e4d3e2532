from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tenants.billing.usage.forecast import FEWEST_DAYS, Forecast, forecast
from tenants.core.months import Month

NOVEMBER = Month(2026, 11)
FIRST_USED = date(2026, 1, 1)


def foretold(today: date, by_day: dict[date, int]) -> Forecast:
    found = forecast(NOVEMBER, today, by_day, FIRST_USED)
    assert found is not None
    return found


def steady(micros: int, last: date) -> dict[date, int]:
    return {last - timedelta(days=n): micros for n in range(60)}


def test_a_steady_use_goes_on_to_the_end_of_the_month() -> None:
    found = foretold(date(2026, 11, 11), steady(100, date(2026, 11, 10)))
    assert (found.micros, found.low_micros, found.high_micros) == (3000, 3000, 3000)
    assert (found.from_days, found.by_weekday) == (28, True)


def test_too_few_whole_days_are_no_ground_to_say_anything() -> None:
    today, first = date(2026, 11, 20), date(2026, 11, 20) - timedelta(days=FEWEST_DAYS - 1)
    by_day = dict.fromkeys((first, today), 100)
    assert forecast(NOVEMBER, today, by_day, first) is None
    assert forecast(NOVEMBER, today + timedelta(days=1), by_day, first) is not None
    assert forecast(NOVEMBER, today, {}, None) is None


def test_a_month_that_is_over_or_to_come_has_none() -> None:
    by_day = steady(100, date(2026, 11, 10))
    assert forecast(NOVEMBER.previous, date(2026, 11, 11), by_day, FIRST_USED) is None
    assert forecast(NOVEMBER.next, date(2026, 11, 11), by_day, FIRST_USED) is None


def test_weekends_are_foretold_like_weekends() -> None:
    """November 2026 has 21 working days."""
    today = date(2026, 11, 11)
    days = (today - timedelta(days=n) for n in range(1, 60))
    found = foretold(today, {day: 100 for day in days if day.weekday() < 5})
    assert (found.micros, found.high_micros) == (2100, 2100)


def test_today_comes_to_no_less_than_it_did_already() -> None:
    today = date(2026, 11, 30)
    by_day = {**steady(100, date(2026, 11, 29)), today: 1_000}
    assert foretold(today, by_day).micros == 29 * 100 + 1_000


def test_what_varies_more_is_foretold_less_closely() -> None:
    today = date(2026, 11, 15)

    def width(swing: int) -> int:
        by_day = {today - timedelta(days=n): 1000 + (swing if n // 7 % 2 else -swing) for n in range(1, 29)}
        found = foretold(today, by_day)
        return found.high_micros - found.low_micros

    assert 0 == width(0) < width(100) < width(500)


@given(
    st.dictionaries(st.dates(date(2026, 9, 20), date(2026, 11, 17)), st.integers(0, 10**12)),
    st.dates(date(2026, 9, 20), date(2026, 11, 17)),
)
def test_a_forecast_is_never_less_than_what_is_spent_nor_outside_its_range(
    by_day: dict[date, int], first: date
) -> None:
    found = forecast(NOVEMBER, date(2026, 11, 17), by_day, first)
    if found is not None:
        spent = sum(cost for day, cost in by_day.items() if day >= NOVEMBER.first)
        assert spent <= found.low_micros <= found.micros <= found.high_micros
