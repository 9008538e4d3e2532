"""Test the `Cache-Control` header of requests, and the cache headers of responses."""

import math

import pytest

from inference.gateway.cache_wishes import ANYTHING, NEITHER, CacheNote, CacheWish, cache_wish

AFRESH = CacheWish(reads=False)


@pytest.mark.parametrize(
    ("header", "wish"),
    [
        (None, ANYTHING),
        ("", ANYTHING),
        ("private, only-if-cached", ANYTHING),
        ("no-cache", AFRESH),
        ("No-Cache , foo", AFRESH),
        ("no-store", NEITHER),
        ("no-cache, no-store", NEITHER),
        ("max-age=60", CacheWish(max_age_s=60)),
        ('max-age="60"', CacheWish(max_age_s=60)),
        ("max-age=60, max-age=5", CacheWish(max_age_s=5)),
        ("max-age=0", AFRESH),
        ("max-age=-1", AFRESH),
        ("max-age=soon", AFRESH),
        ("max-age=²", AFRESH),
        ("x" * 5_000 + ", no-store", NEITHER),
        ("x" * 10_000, NEITHER),
    ],
)
def test_what_a_caller_wants(header: str | None, wish: CacheWish) -> None:
    assert cache_wish(header) == wish


def test_only_who_has_no_wishes_shares_a_run() -> None:
    assert [one.shares for one in (ANYTHING, AFRESH, NEITHER, CacheWish(max_age_s=9))] == [
        True,
        False,
        False,
        False,
    ]
    assert ANYTHING.max_age_s == math.inf


@pytest.mark.parametrize(
    ("note", "headers"),
    [
        (CacheNote("HIT", 61.9, 1, 1), ((b"x-cache", b"HIT"), (b"age", b"61"))),
        (CacheNote("MISS"), ((b"x-cache", b"MISS"),)),
        (CacheNote("MISS", known=90, of=100), ((b"x-cache", b"MISS"), (b"x-cache-known", b"90/100"))),
        (CacheNote("COALESCED"), ((b"x-cache", b"COALESCED"),)),
        (CacheNote("BYPASS"), ((b"x-cache", b"BYPASS"),)),
    ],
)
def test_what_an_answer_says(note: CacheNote, headers: tuple[tuple[bytes, bytes], ...]) -> None:
    assert note.headers == headers
