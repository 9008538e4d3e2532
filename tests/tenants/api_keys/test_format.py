import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.api_keys.format import ALPHABET, digest, new_key, parse_key


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


def test_the_stored_digest_depends_on_the_pepper() -> None:
    assert digest("secret", "one") != digest("secret", "two")
