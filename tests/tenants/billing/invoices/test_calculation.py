"""Tests of the pure part against an independent computation in exact fractions, rounded once."""

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.billing.invoices.calculation import (
    Amount,
    Corrected,
    Item,
    MonthOfTime,
    Segment,
    Tax,
    corrected,
    drafts,
    due_micros,
    month_amounts,
    still_to_bill,
    with_uncollected,
)
from tenants.plans.month import Included, Used
from tenants.plans.prices import Price

FIRST, AFTER = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC)
MONTH = MonthOfTime(FIRST, AFTER, AFTER)
PLAN = UUID(int=1)
DAY = timedelta(days=1)

prices = st.builds(Price, st.just("page"), st.integers(0, 50_000), st.sampled_from([1, 3, 1_000]), st.just("EUR"))
days = st.integers(1, 30).map(lambda n: date(2026, 6, n))
used_once = st.builds(Used, days, st.sampled_from("ab"), st.integers(1, 9_999), prices, st.booleans())
uses = st.lists(used_once, max_size=30)


def recomputed(used: list[Used]) -> int:
    """Compute the amount without included units: what each model did at each price, rounded once."""
    sums: dict[tuple[str, bool, Price], int] = defaultdict(int)
    for one in used:
        sums[one.model, one.cached, one.price] += one.quantity
    return sum(round(Fraction(n * price.amount_micros, price.per)) for (_, _, price), n in sums.items())


@given(uses)
def test_a_month_is_what_each_model_did_at_each_price(used: list[Used]) -> None:
    amounts = month_amounts(MONTH, [Segment(FIRST, AFTER, tuple(used))])
    assert sum(amount.exact_micros for amount in amounts.values()) == recomputed(used)


def test_units_that_one_plan_paid_for_do_not_use_up_another_plans() -> None:
    """Nothing is included until the 15th, and 50 units from then on, 20 of which were not charged at use."""
    begun = FIRST + 14 * DAY
    price = Price("page", 1_000, 1, "EUR")
    used = [Used(date(2026, 6, day), "a", quantity, price) for day, quantity in ((3, 100), (20, 20))]
    segments = [
        Segment(FIRST, begun, (used[0],)),
        Segment(
            begun,
            AFTER,
            (used[1],),
            plan_id=PLAN,
            currency="EUR",
            included=(Included("a", "page", 50),),
            settled=(Included("a", "page", 20),),
            settled_lines={("a", False, price): 20},
        ),
    ]
    (amount,) = month_amounts(MONTH, segments).values()
    assert (amount.quantity, amount.included) == (120, 20)


def test_what_was_included_out_of_another_months_units_stays_included() -> None:
    price = Price("page", 1_000, 1, "EUR")
    used = Used(date(2026, 6, 3), "a", 100, price)
    (amount,) = month_amounts(MONTH, [Segment(FIRST, AFTER, (used,))], {("a", False, price): 30}).values()
    assert (amount.quantity, amount.included) == (100, 30)


@given(uses, st.randoms(use_true_random=False), st.integers(0, 30))
def test_in_whatever_parts_and_order_it_is_billed_it_comes_to_the_same(
    used: list[Used], random: object, cut: int
) -> None:
    late = list(used)
    random.shuffle(late)  # type: ignore[attr-defined]
    included = (Included("", "page", 5_000),)
    first = month_amounts(MONTH, [Segment(FIRST, AFTER, tuple(late[:cut]), included=included)])
    whole = month_amounts(MONTH, [Segment(FIRST, AFTER, tuple(used), included=included)])
    rest = still_to_bill(whole, first)
    billed = defaultdict(Amount, first)
    for item, amount in rest.items():
        billed[item] += amount
    assert {item: amount for item, amount in billed.items() if amount} == {
        item: amount for item, amount in whole.items() if amount
    }
    assert sum(amount.exact_micros for amount in rest.values()) >= 0


@given(uses)
def test_lines_are_whole_cents_and_add_up(used: list[Used]) -> None:
    amounts = month_amounts(MONTH, [Segment(FIRST, AFTER, tuple(used))])
    for draft in drafts(amounts, month=FIRST.date(), tax=Tax("VAT", 1_900)):
        assert all(line.amount_micros % 10_000 == 0 for line in draft.lines)
        assert all(abs(line.amount_micros - line.amount.exact_micros) < 10_000 for line in draft.lines)
        assert draft.net_micros == round(Fraction(recomputed(used), 10_000)) * 10_000
        assert draft.tax_micros == round(Fraction(draft.net_micros * 19, 100 * 10_000)) * 10_000


@given(st.integers(0, 10**9), st.integers(0, 30 * 24), st.integers(0, 30 * 24))
def test_a_fee_is_for_the_seconds_in_which_it_held(fee: int, start: int, trial: int) -> None:
    since, trial_end = FIRST + timedelta(hours=start), FIRST + timedelta(hours=trial)
    segment = Segment(since, AFTER, (), PLAN, "EUR", fee, trial_end)
    amounts = month_amounts(MONTH, [segment])
    hours = 30 * 24 - max(start, trial)
    assert sum(amount.exact_micros for amount in amounts.values()) == round(Fraction(fee * hours, 720))


def test_a_plan_that_follows_another_includes_units_for_the_rest_of_the_month() -> None:
    price = Price("page", 1_000, 1, "EUR")
    used = (Used(date(2026, 6, 20), "ocr", 900, price),)
    middle = FIRST + 15 * DAY
    first = Segment(FIRST, middle, (), PLAN, "EUR", included=(Included("", "page", 1_000),))
    second = Segment(middle, AFTER, used, PLAN, "EUR", included=(Included("", "page", 1_001),), follows_a_plan=True)
    (amount,) = month_amounts(MONTH, [first, second]).values()
    assert (amount.included, amount.exact_micros) == (501, 399_000)


@pytest.mark.parametrize(
    ("lost", "billed", "less"), [(500, 0, 500), (5_000, 0, 1_000), (500, -500, None), (0, 0, None)]
)
def test_what_could_not_be_collected_is_billed_once_less_and_never_below_nothing(
    lost: int, billed: int, less: int | None
) -> None:
    usage, item = Item("usage", FIRST.date(), "EUR"), Item("uncollected", FIRST.date(), "EUR")
    found = with_uncollected(
        {usage: Amount(1, 0, 1_000)},
        month=FIRST.date(),
        uncollected_micros={"EUR": lost},
        billed={item: Amount(exact_micros=billed)} if billed else {},
    )
    assert found.get(item) == (None if less is None else Amount(exact_micros=-less))


@given(st.lists(st.integers(1, 500), min_size=1, max_size=10), st.integers(0, 2_500))
def test_credit_notes_together_take_back_all_of_the_tax(cents: list[int], rate: int) -> None:
    net = sum(cents) * 10_000
    tax = Tax("VAT", rate).of(net, 10_000)
    before = Corrected(0, 0)
    for part in cents:
        note = corrected(part * 10_000, of=Corrected(net, tax), before=before, unit=10_000)
        assert note.tax_micros >= 0
        before = Corrected(before.net_micros + note.net_micros, before.tax_micros + note.tax_micros)
    assert before == Corrected(net, tax)


@pytest.mark.parametrize(("total", "balance", "due"), [(100, 50, 0), (100, -30, 30), (100, -300, 100), (0, -5, 0)])
def test_only_what_the_balance_lacks_is_due(total: int, balance: int, due: int) -> None:
    assert due_micros(total_micros=total, balance_micros=balance) == due
