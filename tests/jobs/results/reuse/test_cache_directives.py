import pytest

from jobs.results.reuse.cache_directives import wish_of, x_cache


@pytest.mark.parametrize(
    ("header", "wish"),
    [
        (None, ""),
        ("", ""),
        ("max-age=60", ""),
        ("no-cache", "no-cache"),
        ("No-Cache, private", "no-cache"),
        ("max-age=0", "no-cache"),
        ('max-age="0"', "no-cache"),
        ("no-cache, no-store", "no-store"),
        ("no-store=1", ""),
        (",, ;no-store", ""),
    ],
)
def test_what_a_caller_wishes(header: str | None, wish: str) -> None:
    assert wish_of(header) == wish


@pytest.mark.parametrize(
    ("wish", "cached", "coalesced", "said"),
    [
        ("", 0, 0, "MISS"),
        ("", 2, 0, "MISS"),
        ("", 3, 0, "HIT"),
        ("", 3, 1, "COALESCED"),
        ("no-cache", 0, 0, "BYPASS"),
        ("no-store", 0, 0, "BYPASS"),
    ],
)
def test_what_the_answer_says_of_a_job_of_three_pages(wish: str, cached: int, coalesced: int, said: str) -> None:
    assert x_cache(wish=wish, pages_total=3, pages_cached=cached, pages_coalesced=coalesced) == said
