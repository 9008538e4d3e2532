"""Tests of what is left for a caller in one currency, within everything that bounds it."""

import pytest

from tenants.billing.ledger.headroom import BoundRow, Gone, Rooms, words_of

PREPAID = BoundRow("wallet", "EUR", 30)
INVOICED = BoundRow("wallet", "EUR", None)


@pytest.mark.parametrize(
    ("rows", "rooms"),
    [
        ([], Rooms()),
        ([INVOICED], Rooms()),
        ([PREPAID], Rooms(30, prepaid=True)),
        ([PREPAID, BoundRow("tenant", "EUR", 20)], Rooms(20, prepaid=True)),
        ([PREPAID, BoundRow("tenant", "EUR", 40), BoundRow("key", "EUR", 5)], Rooms(30, 5, prepaid=True)),
        ([INVOICED, BoundRow("key", "EUR", -5)], Rooms(None, -5)),
        ([BoundRow("tenant", "USD", 1)], Rooms()),
        ([BoundRow("wallet", "USD", 30)], Rooms(0, prepaid=True)),
        ([BoundRow("wallet", "USD", 30), INVOICED], Rooms()),
    ],
)
def test_a_caller_may_spend_what_the_tightest_of_its_bounds_leaves(
    rows: list[BoundRow], rooms: Rooms
) -> None:
    assert Rooms.of(rows, "EUR") == rooms


def test_the_least_room_is_what_counts_and_none_is_no_end() -> None:
    assert [Rooms().min_micros, Rooms(3).min_micros, Rooms(3, 2).min_micros] == [None, 3, 2]
    assert [Rooms().bounded, Rooms(0).bounded, Rooms(None, 0).bounded] == [False, True, True]
    assert Rooms(3).with_back(4) == Rooms(7)


def test_redis_is_told_of_a_room_with_what_was_gone_before_it_was_looked_at() -> None:
    assert words_of(Rooms(30, None), Gone(1, 2)) == [30, 1, "", 2]
    assert words_of(Rooms(30, 4), None) == [30, "", 4, ""]
