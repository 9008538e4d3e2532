"""Tests of keys in addresses."""

import pytest

from maas.web.guard.query_keys import carries_key
from tenants.api_keys.format import KeyParts

# The keys are fixed, since they name the tests: every process of a run must collect the same tests.
KEY = KeyParts("0123456789ab", "S" * 32, livemode=True).text
KEY_OF_CELL = KeyParts("0123456789ab", "S" * 32, livemode=True, cell="eu-west").text
TEST_KEY = KeyParts("0123456789ab", "S" * 32, livemode=False).text


@pytest.mark.parametrize(
    "query",
    [
        f"api_key={KEY}",
        f"x=1&Anything={KEY}",
        f"x=Bearer%20{KEY}",
        "x=" + "".join(f"%{ord(letter):02x}" for letter in KEY),
        f"x={KEY[:30]}",
        f"x={KEY_OF_CELL}",
        f"x={KEY_OF_CELL[:38]}",
        f"{KEY}=",
        f"{KEY}",
        "api_key=something",
        "access_token=",
        f"x={TEST_KEY}",
    ],
)
def test_a_key_in_an_address_is_found(query: str) -> None:
    assert carries_key(query.encode())


@pytest.mark.parametrize("query", ["", "a=1", "q=maas_live", "prefix=maas_live_0123456789ab", "ticket=abc", "%zz"])
def test_other_addresses_are_not_suspected(query: str) -> None:
    assert not carries_key(query.encode())
