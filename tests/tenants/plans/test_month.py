"""Tests of a month's bill against one that is computed unit by unit, and of amounts that add up."""

from collections import Counter
from datetime import date
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tenants.core.shares import in_units, rounded, spread, unit_micros
from tenants.plans.month import Included, Used, month_bill
from tenants.plans.prices import Price

DAYS = st.integers(1, 28).map(lambda day: date(2026, 11, day))
MODELS = st.sampled_from(["ocr", "embed", "parse"])
PRICES = st.builds(
    Price,
    st.sampled_from(["page", "token"]),
    st.sampled_from([0, 1, 7, 1000, 1500]),
    st.sampled_from([1, 3, 1000]),
    st.sampled_from(["EUR", "USD"]),
)
USES = st.lists(st.builds(Used, DAYS, MODELS, st.integers(0, 12), PRICES, st.booleans()), max_size=12)
POOLS = st.lists(
    st.builds(
        Included,
        st.sampled_from(["", "ocr", "embed"]),
        st.sampled_from(["page", "token"]),
        st.integers(0, 20),
    ),
    max_size=4,
)


def one_by_one(used: list[Used], included: list[Included]) -> dict[str, int]:
    """Compute the bill as a person would with a list of every single unit, in exact fractions."""
    left = Counter[tuple[str, str]]()
    for pool in included:
        left[pool.model, pool.meter] += pool.quantity
    units = [(use.day, Fraction(use.price.amount_micros, use.price.per), use) for use in used]
    over = Counter[tuple[str, bool, Price]]()

    def order(unit: tuple[date, Fraction, Used]) -> tuple[object, ...]:
        day, each, use = unit
        price = use.price
        return (day, -each, use.model, price.meter, use.cached, price.currency, price.per)

    for _, each, use in sorted(units, key=order):
        for _ in range(use.quantity):
            key = next((k for k in ((use.model, use.price.meter), ("", use.price.meter)) if left[k]), None)
            if each and key:
                left[key] -= 1
            else:
                over[use.model, use.cached, use.price] += 1
    totals = Counter[str]()
    for (_, _, price), quantity in over.items():
        totals[price.currency] += round(Fraction(price.amount_micros * quantity, price.per))
    return totals


@settings(max_examples=300)
@given(USES, POOLS, st.integers(0, 10**9))
def test_a_month_is_what_it_comes_to_unit_by_unit(used: list[Used], included: list[Included], fee: int) -> None:
    bill = month_bill(used, included, fee_micros=fee, currency="EUR")
    expected = one_by_one(used, included)
    for currency in ("EUR", "USD"):
        plain = fee if currency == "EUR" else 0
        assert bill.totals_micros.get(currency, 0) == expected[currency] + plain
    assert sum(line.quantity for line in bill.lines) == sum(one.quantity for one in used)
    covered = sum(line.included for line in bill.lines)
    assert covered + sum(one.quantity for one in bill.left) == sum(one.quantity for one in included)


@given(USES, POOLS, st.randoms())
def test_the_order_in_which_uses_are_told_changes_nothing(
    used: list[Used], included: list[Included], random: object
) -> None:
    shuffled = list(used)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one = month_bill(used, included, fee_micros=0, currency="EUR")
    assert month_bill(shuffled, included, fee_micros=0, currency="EUR") == one


def test_included_units_go_by_days_and_a_line_is_rounded_once() -> None:
    dear, cheap = Price("page", 1500, 1000, "EUR"), Price("page", 1, 2, "EUR")
    first, last = date(2026, 11, 1), date(2026, 11, 30)
    used = [Used(last, "ocr", 1000, dear), Used(first, "ocr", 3, cheap), Used(last, "ocr", 3, cheap)]
    bill = month_bill(used, [Included("", "page", 1002)], fee_micros=5, currency="EUR")
    assert [(line.quantity, line.included, line.amount_micros) for line in bill.lines] == [
        (6, 3, 2),
        (1000, 999, 2),
    ]
    assert bill.totals_micros == {"EUR": 9}
    assert bill.left == ()


def test_what_is_free_uses_up_nothing() -> None:
    free = Price("page", 0, 1, "EUR")
    used = [Used(date(2026, 11, 1), "ocr", 10, free)]
    bill = month_bill(used, [Included("", "page", 4)], fee_micros=0, currency="EUR")
    assert bill.left == (Included("", "page", 4),)


@given(st.lists(st.integers(0, 10**12), max_size=30), st.sampled_from([1, 1_000, 10_000, 1_000_000]))
def test_parts_in_cents_add_up_to_the_sum_in_cents(amounts: list[int], unit: int) -> None:
    parts = in_units(amounts, unit)
    assert sum(parts) == round(Fraction(sum(amounts), unit)) * unit == rounded(sum(amounts), unit)
    assert all(part % unit == 0 and abs(part - amount) < unit for part, amount in zip(parts, amounts, strict=True))


def test_the_largest_rest_is_rounded_up_first() -> None:
    assert in_units([10_004, 10_003, 10_003], 10) == [10_010, 10_000, 10_000]
    assert (unit_micros("EUR"), unit_micros("JPY"), unit_micros("KWD")) == (10_000, 1_000_000, 1_000)


@given(st.integers(0, 10**9), st.integers(1, 31))
def test_what_is_spread_loses_nothing(whole: int, parts: int) -> None:
    each = spread(whole, parts)
    assert sum(each) == whole
    assert max(each) - min(each) <= 1
