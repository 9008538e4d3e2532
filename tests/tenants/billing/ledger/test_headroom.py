"""Tests of what is left for a caller in one currency, within everything that bounds it."""

import pytest

from tenants.billing.ledger.headroom import BoundRow, Gone, Headrooms, words_of

PREPAID = BoundRow("wallet", "EUR", 30)
INVOICED = BoundRow("wallet", "EUR", None)


@pytest.mark.parametrize(
    ("rows", "rooms"),
    [
        ([], Headrooms()),
        ([INVOICED], Headrooms()),
        ([PREPAID], Headrooms(30, prepaid=True)),
        ([PREPAID, BoundRow("tenant", "EUR", 20)], Headrooms(20, prepaid=True)),
        ([PREPAID, BoundRow("tenant", "EUR", 40), BoundRow("key", "EUR", 5)], Headrooms(30, 5, prepaid=True)),
        ([INVOICED, BoundRow("key", "EUR", -5)], Headrooms(None, -5)),
        ([BoundRow("tenant", "USD", 1)], Headrooms()),
        ([BoundRow("wallet", "USD", 30)], Headrooms(0, prepaid=True)),
        ([BoundRow("wallet", "USD", 30), INVOICED], Headrooms()),
    ],
)
def test_a_caller_may_spend_what_the_tightest_of_its_bounds_leaves(rows: list[BoundRow], rooms: Headrooms) -> None:
    assert Headrooms.of(rows, "EUR") == rooms


def test_the_least_room_is_what_counts_and_none_is_no_end() -> None:
    assert [Headrooms().min_micros, Headrooms(3).min_micros, Headrooms(3, 2).min_micros] == [None, 3, 2]
    assert [Headrooms().bounded, Headrooms(0).bounded, Headrooms(None, 0).bounded] == [False, True, True]
    assert Headrooms(3).with_back(4) == Headrooms(7)


def test_redis_is_told_of_a_room_with_what_was_gone_before_it_was_looked_at() -> None:
    assert words_of(Headrooms(30, None), Gone(1, 2)) == [30, 1, "", 2]
    assert words_of(Headrooms(30, 4), None) == [30, "", 4, ""]
