"""Tests of how often one client IP may do something, and of what counts as one client IP."""

import pytest

from tenants.core.asgi.client_ip_limit import MAX_PLACES, ClientIpLimit, TooManyTries, place_of_scope

SAID = "Again in {pause_s} s."


def test_who_tries_too_often_waits_and_may_try_again_then() -> None:
    now_s = 1_000.0
    bound = ClientIpLimit(3, SAID, clock=lambda: now_s)
    for _ in range(3):
        bound.check("a")
        bound.take("a")
    with pytest.raises(TooManyTries, match=r"Again in 20 s\.") as refused:
        bound.take("a")
    bound.check("b")
    now_s += int(str(refused.value.extra["retry_after_s"]))
    bound.take("a")


def test_what_is_given_back_may_be_taken_again() -> None:
    bound = ClientIpLimit(2, SAID, clock=lambda: 1_000.0)
    for _ in range(50):
        bound.take("a")
        bound.give_back("a")
    bound.take("a")
    bound.take("a")
    with pytest.raises(TooManyTries):
        bound.check("a")


def test_no_more_places_are_remembered_than_fit() -> None:
    bound = ClientIpLimit(3, SAID)
    for number in range(MAX_PLACES + 50):
        bound.take(str(number))
    assert len(bound) == MAX_PLACES


@pytest.mark.parametrize(
    "claims",
    [
        ["2001:db8::7, 2001:db8::9"],
        ["2001:db8::7", "2001:db8::9"],
        ["198.51.100.1, 2001:db8::7", "2001:db8::9"],
    ],
    ids=["one line", "two lines", "a list and a line"],
)
def test_a_household_of_addresses_is_one_place_and_a_claimed_one_counts_only_behind_a_proxy(
    claims: list[str],
) -> None:
    """A header line that the caller sends itself comes before that of its proxy, even if the proxy adds another
    line.
    """
    headers = [(b"x-forwarded-for", claim.encode()) for claim in claims]
    scope = {"client": ("2001:db8:0:1::5", 1), "headers": headers}
    assert place_of_scope(scope, 0) == "2001:db8:0:1::/64"
    assert place_of_scope(scope, 1) == "2001:db8::/64"
    assert place_of_scope({"client": None, "headers": []}, 0) == "unknown"


def test_what_a_caller_claims_in_a_line_of_its_own_is_not_where_it_is() -> None:
    lines = [(b"x-forwarded-for", b"203.0.113.5"), (b"x-forwarded-for", b"198.51.100.9")]
    assert place_of_scope({"client": ("10.0.0.1", 1), "headers": lines}, 1) == "198.51.100.9"


def test_a_proxy_that_writes_ports_does_not_make_each_connection_a_place_of_its_own() -> None:
    bound = ClientIpLimit(3, SAID, clock=lambda: 1_000.0)
    for port in (4001, 4002, 4003):
        bound.take(_place_told(f"198.51.100.9:{port}"))
    with pytest.raises(TooManyTries):
        bound.take(_place_told("198.51.100.9:4004"))
    bound.take(_place_told("198.51.100.8:4004"))


def _place_told(claim: str) -> str:
    return place_of_scope({"client": ("10.0.0.1", 1), "headers": [(b"x-forwarded-for", claim.encode())]}, 1)
