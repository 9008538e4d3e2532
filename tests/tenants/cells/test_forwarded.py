import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.cells.cells import Cell, Cells
from tenants.cells.forwarded import client_ip_of, forwarded_header
from tenants.cells.signatures import public_key_of

EU_SECRET, US_SECRET = b"e" * 32, b"u" * 32
BY_NAME = {
    "eu": Cell("eu", "https://eu.example.com", (public_key_of(EU_SECRET),)),
    "us": Cell("us", "https://us.example.com", (public_key_of(US_SECRET),)),
}
EU = Cells("eu", by_name=BY_NAME, secret=EU_SECRET)
US = Cells("us", by_name=BY_NAME, secret=US_SECRET)
NOW_S = 1_800_000_000.25
KEY = b"maas_live_us_of_somebody"
HEADER = forwarded_header(EU, "us", "203.0.113.7", KEY, NOW_S)


@pytest.mark.parametrize("address", ["203.0.113.7", "2001:db8::1", "unknown"])
@pytest.mark.parametrize("later_s", [-59, 0, 59])
def test_the_home_cell_learns_the_callers_address(address: str, later_s: float) -> None:
    header = forwarded_header(EU, "us", address, KEY, NOW_S)
    assert client_ip_of(US, header, KEY, NOW_S + later_s) == address


@pytest.mark.parametrize("later_s", [-61, 61, 1e9])
def test_a_header_is_worth_nothing_later(later_s: float) -> None:
    assert client_ip_of(US, HEADER, KEY, NOW_S + later_s) is None


def test_a_header_is_for_one_cell_and_one_credential() -> None:
    third = Cells("ap", by_name={**BY_NAME, "ap": Cell("ap", "https://ap.example.com", ())})
    assert client_ip_of(third, HEADER, KEY, NOW_S) is None
    assert client_ip_of(US, HEADER, b"another key", NOW_S) is None
    assert client_ip_of(EU, HEADER, KEY, NOW_S) is None


def test_a_cell_signs_in_its_own_name_alone() -> None:
    posing = Cells("eu", by_name=BY_NAME, secret=US_SECRET)
    assert client_ip_of(US, forwarded_header(posing, "us", "203.0.113.7", KEY, NOW_S), KEY, NOW_S) is None
    unknown = Cells("ap", by_name=BY_NAME, secret=EU_SECRET)
    assert client_ip_of(US, forwarded_header(unknown, "us", "203.0.113.7", KEY, NOW_S), KEY, NOW_S) is None


@given(st.integers(0, len(HEADER) - 1), st.integers(0, 255))
def test_one_changed_byte_vouches_for_nobody(position: int, byte: int) -> None:
    changed = HEADER[:position] + bytes([byte]) + HEADER[position + 1 :]
    found = client_ip_of(US, changed, KEY, NOW_S)
    # The last letters of Base64 have bits that say nothing.
    assert found is None or (found == "203.0.113.7" and (changed == HEADER or position >= len(HEADER) - 3))


@given(st.binary(max_size=400))
def test_nonsense_vouches_for_nobody(value: bytes) -> None:
    assert client_ip_of(US, value, KEY, NOW_S) is None
