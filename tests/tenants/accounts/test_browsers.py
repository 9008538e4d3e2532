"""Tests that people can tell their own devices apart."""

import pytest

from tenants.accounts.browsers import browser_words


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0 Safari/537.36", "Chrome on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1",
            "Safari on iPhone",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 14.1; rv:130.0) Gecko/20100101 Firefox/130.0",
            "Firefox on Mac",
        ),
        ("curl/8.5.0", "Unknown browser"),
        ("", "Unknown browser"),
    ],
)
def test_a_browser_is_told_in_words(said: str, words: str) -> None:
    assert browser_words(said) == words
