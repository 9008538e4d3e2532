"""Test entries as they are stored in Redis: exactly what was written is read, and nothing else."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.cache.entries import read_entry, write_entry

SEAL, KEY = b"s" * 32, b"k" * 32
NOW_S = 1_800_000_000.25


@given(payload=st.binary(max_size=5_000), dense=st.booleans())
def test_what_is_written_is_read(payload: bytes, dense: bool) -> None:
    found = read_entry(SEAL, KEY, write_entry(SEAL, KEY, payload, NOW_S, dense=dense))
    assert found is not None
    assert (found.payload, found.written_s) == (payload, NOW_S)


def test_what_shrinks_is_packed_and_what_does_not_is_left_as_it_is() -> None:
    same, noise = b"word " * 2_000, os.urandom(10_000)
    assert len(write_entry(SEAL, KEY, same, NOW_S, dense=False)) < len(same) // 5
    assert len(write_entry(SEAL, KEY, same, NOW_S, dense=True)) > len(same)
    assert len(write_entry(SEAL, KEY, noise, NOW_S, dense=False)) < len(noise) + 50


def test_another_installations_entry_or_that_of_another_key_is_none() -> None:
    written = write_entry(SEAL, KEY, b"payload", NOW_S, dense=True)
    assert read_entry(b"t" * 32, KEY, written) is None
    assert read_entry(SEAL, b"l" * 32, written) is None


@pytest.mark.parametrize("garbage", [b"", b"x", b"\x00" * 30, b"maas" * 100])
def test_garbage_is_none(garbage: bytes) -> None:
    assert read_entry(SEAL, KEY, garbage) is None


def test_an_entry_with_any_byte_changed_or_cut_is_none() -> None:
    written = write_entry(SEAL, KEY, b"word " * 500, NOW_S, dense=False)
    for position in range(len(written)):
        changed = bytearray(written)
        changed[position] ^= 1
        assert read_entry(SEAL, KEY, bytes(changed)) is None
        assert read_entry(SEAL, KEY, written[:position]) is None


def test_an_age_is_never_below_nothing() -> None:
    found = read_entry(SEAL, KEY, write_entry(SEAL, KEY, b"", NOW_S, dense=True))
    assert found is not None
    assert (found.age_s(NOW_S + 2), found.age_s(NOW_S - 2)) == (2, 0)
