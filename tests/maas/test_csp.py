"""The content security policy, beside what a view says of its own."""

from django.http import HttpRequest, HttpResponse

from maas.csp import POLICY, ContentSecurityPolicyMiddleware


def test_a_page_may_load_only_what_this_server_serves() -> None:
    answer = ContentSecurityPolicyMiddleware(lambda request: HttpResponse())(HttpRequest())
    assert answer["Content-Security-Policy"] == POLICY
    assert "unsafe" not in POLICY


def test_a_views_own_stricter_policy_stands() -> None:
    strict = {"Content-Security-Policy": "default-src 'none'"}
    answer = ContentSecurityPolicyMiddleware(lambda request: HttpResponse(headers=strict))(HttpRequest())
    assert answer["Content-Security-Policy"] == "default-src 'none'"
