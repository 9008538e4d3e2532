"""Tests of the web pages that may open sockets here, and of those that may not."""

import pytest

from jobs.streaming.origins import origin_allowed


def _allowed(origin: str, host: str) -> bool:
    return origin_allowed(
        origin, host, allowed_hosts=["maas.example", "127.0.0.1", "[::1]"], trusted=["https://front.example"]
    )


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://maas.example", "maas.example"),
        ("https://maas.example", "maas.example:443"),
        ("http://127.0.0.1:8000", "127.0.0.1:8000"),
        ("http://MAAS.example", "maas.example"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("https://front.example", "maas.example"),
    ],
)
def test_our_own_pages_and_trusted_ones_are_welcome(origin: str, host: str) -> None:
    assert _allowed(origin, host)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://evil.example", "maas.example"),
        ("https://maas.example.evil.example", "maas.example"),
        ("https://evil.example", "evil.example"),
        ("http://127.0.0.1:9000", "127.0.0.1:8000"),
        ("null", "maas.example"),
        ("", "maas.example"),
        ("file://", "maas.example"),
        ("https://maas.example", ""),
        ("http://front.example", "maas.example"),
        ("http://maas.example:99999999", "maas.example"),
    ],
)
def test_all_others_are_not(origin: str, host: str) -> None:
    assert not _allowed(origin, host)
