"""Tests of what a request says about itself."""

from tenants.core.asgi.protocol import Scope, cookie, header


def test_of_a_header_that_comes_twice_the_first_counts() -> None:
    scope: Scope = {"headers": [(b"host", b"one"), (b"accept", b"any"), (b"host", b"two")]}
    assert [header(scope, name) for name in (b"host", b"accept", b"age")] == ["one", "any", None]


def test_a_copy_with_other_headers_is_read_by_its_own() -> None:
    scope: Scope = {"headers": [(b"accept", b"text/event-stream")]}
    assert header(scope, b"accept") == "text/event-stream"
    assert header({**scope, "headers": []}, b"accept") is None


def test_a_cookie_is_found_in_whichever_line_it_comes() -> None:
    scope: Scope = {"headers": [(b"cookie", b"theme=dark"), (b"cookie", b"sessionid=one")]}
    assert cookie(scope, "sessionid") == "one"
