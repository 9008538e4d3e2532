"""Tests of which units are included, and from which pools."""

from datetime import date
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from tenants.billing.ledger.included_units import Remaining, Work, allot
from tenants.plans.prices import Price

NOVEMBER, OCTOBER = date(2026, 11, 1), date(2026, 10, 1)
CHEAP, DEAR = Price("page", 10, 1, "EUR"), Price("page", 90, 1, "EUR")


def work(quantity: int, price: Price = CHEAP, model: str = "ocr", month: date | None = NOVEMBER) -> Work:
    return Work(model, False, price, quantity, price.cost_micros(quantity), month)


def room(number: int, quantity: int, model: str = "ocr", month: date | None = NOVEMBER) -> Remaining:
    return Remaining(UUID(int=number), model, "page", quantity, month)


def taken(works: list[Work], rooms: list[Remaining]) -> list[tuple[int, int, int]]:
    """Return the pool, the quantity and the amount that is spared, for each allotment."""
    return [(one.room.pool_id.int, one.quantity, one.saved_micros) for one in allot(works, rooms)]


def test_what_is_dearest_is_included_first() -> None:
    assert taken([work(3), work(2, DEAR)], [room(1, 4)]) == [(1, 2, 180), (1, 2, 20)]


def test_units_of_the_one_model_go_before_those_of_all() -> None:
    assert taken([work(5)], [room(1, 9, ""), room(2, 3)]) == [(2, 3, 30), (1, 2, 20)]


def test_what_was_held_goes_before_what_is_free() -> None:
    held = Remaining(UUID(int=3), "", "page", 2, None, True)
    assert taken([work(5)], [room(2, 9), held]) == [(3, 2, 20), (2, 3, 30)]


def test_free_units_are_for_the_work_of_their_month_and_held_ones_for_any() -> None:
    held = Remaining(UUID(int=3), "ocr", "page", 1, None, True)
    assert taken([work(5, month=OCTOBER)], [room(2, 9), held]) == [(3, 1, 10)]


def test_other_models_other_meters_and_what_is_free_take_nothing() -> None:
    free, tokens = Price("page", 0, 1, "EUR"), Price("token", 5, 1, "EUR")
    assert taken([work(5, model="parse"), work(5, free), work(5, tokens)], [room(1, 9)]) == []


QUANTITIES = st.integers(1, 30)


@given(
    st.lists(st.builds(work, QUANTITIES, st.sampled_from([CHEAP, DEAR, Price("page", 7, 3, "EUR")]))),
    st.lists(st.tuples(QUANTITIES, st.sampled_from(["", "ocr", "parse"]))),
)
def test_neither_work_nor_pools_are_taken_twice(works: list[Work], pools: list[tuple[int, str]]) -> None:
    rooms = [room(number, quantity, model) for number, (quantity, model) in enumerate(pools)]
    found = allot(works, rooms)
    there = sum(one.quantity for one in rooms if one.model != "parse")
    assert sum(one.quantity for one in found) == min(there, sum(one.quantity for one in works))
    for one in rooms:
        assert sum(part.quantity for part in found if part.room is one) <= one.quantity
    assert sum(one.saved_micros for one in found) <= sum(one.amount_micros for one in works)
    if there >= sum(one.quantity for one in works):
        assert sum(one.saved_micros for one in found) == sum(one.amount_micros for one in works)
