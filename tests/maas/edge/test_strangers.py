"""How often one place may try what is nobody's."""

import pytest

from maas.edge.strangers import MOST_PLACES, Strangers, TooManyTries, place_of_scope


def test_who_fails_too_often_waits_and_may_try_again_then() -> None:
    now_s = 1_000.0
    strangers = Strangers(most_a_minute=3, clock=lambda: now_s)
    for _ in range(3):
        strangers.check("a")
        strangers.failed("a")
    with pytest.raises(TooManyTries) as refused:
        strangers.check("a")
    strangers.check("b")
    now_s += int(str(refused.value.extra["retry_after_s"]))
    strangers.check("a")


def test_no_more_places_are_remembered_than_fit() -> None:
    strangers = Strangers()
    for number in range(MOST_PLACES + 50):
        strangers.failed(str(number))
    assert len(strangers) == MOST_PLACES


def test_a_household_of_addresses_is_one_place_and_a_claimed_one_counts_only_behind_a_proxy() -> None:
    claims = [(b"x-forwarded-for", b"2001:db8::7, 2001:db8::9")]
    scope = {"client": ("2001:db8:0:1::5", 1), "headers": claims}
    assert place_of_scope(scope, 0) == "2001:db8:0:1::/64"
    assert place_of_scope(scope, 1) == "2001:db8::/64"
    assert place_of_scope({"client": None, "headers": []}, 0) == ""
