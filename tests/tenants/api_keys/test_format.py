import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.api_keys.format import ALPHABET, KeyParts, digest, new_key, parse_key
from tenants.cells.reading import NAME
from tenants.request_log.entries import without_keys


@pytest.mark.parametrize("livemode", [True, False])
def test_a_new_key_reads_back_as_itself(livemode: bool) -> None:
    key = new_key(livemode=livemode)
    assert parse_key(key.text) == key
    assert key.text.startswith("maas_live_" if livemode else "maas_test_")


@given(st.integers(10, 60), st.sampled_from(ALPHABET))
def test_one_changed_character_is_refused_without_a_lookup(position: int, other: str) -> None:
    text = new_key(livemode=True).text
    position = min(position, len(text) - 1)
    changed = text[:position] + other + text[position + 1 :]
    assert (parse_key(changed) is None) == (changed != text)


@given(st.text(max_size=120))
def test_anything_else_is_not_a_key(text: str) -> None:
    assert parse_key(text) is None


def test_a_live_key_cannot_be_turned_into_a_test_key() -> None:
    assert parse_key(new_key(livemode=True).text.replace("live", "test")) is None


@given(st.from_regex(NAME, fullmatch=True), st.booleans())
def test_a_key_names_its_home_cell(cell: str, livemode: bool) -> None:
    key = new_key(livemode=livemode, cell=cell)
    assert parse_key(key.text) == key
    assert key.prefix == f"maas_{'live' if livemode else 'test'}_{cell}_{key.public_id}"
    assert without_keys(f"sent {key.text}.") == f"sent {key.prefix}_…."


@pytest.mark.parametrize("cell", ["", "us", "eu1", "e"])
def test_a_key_cannot_be_given_to_another_cell(cell: str) -> None:
    key = new_key(livemode=True, cell="eu")
    moved = key.text.replace("_eu_", f"_{cell}_" if cell else "_")
    assert parse_key(moved) is None


@pytest.mark.parametrize("cell", ["EU", "e_u", "1eu", "-eu", "e" * 17, "eü"])
def test_a_name_that_no_cell_has_makes_no_key(cell: str) -> None:
    assert parse_key(new_key(livemode=True, cell=cell).text) is None


def test_a_cell_named_like_an_id_changes_nothing() -> None:
    key = KeyParts("abcdefghijkl", "S" * 32, livemode=True, cell="abcdefghijkl")
    assert parse_key(key.text) == key
    old = KeyParts("abcdefghijkl", "S" * 32, livemode=True)
    assert parse_key(old.text) == old


def test_the_stored_digest_depends_on_the_pepper() -> None:
    assert digest("secret", "one") != digest("secret", "two")
