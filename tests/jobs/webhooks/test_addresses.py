import pytest

from jobs.webhooks.addresses import origin_of


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Example.com/a?b=1", "https://example.com:443"),
        ("https://example.com:8443/", "https://example.com:8443"),
        ("http://127.0.0.1:9/x", "http://127.0.0.1:9"),
        ("https://[2001:db8::1]/x", "https://[2001:db8::1]:443"),
    ],
)
def test_addresses_of_one_server_have_one_origin(url: str, origin: str) -> None:
    assert origin_of(url) == origin
