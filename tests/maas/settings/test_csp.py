"""Tests of the content security policy, beside the policy that a view sets itself."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse

from maas.settings.csp import PolicyMiddleware, pages
from maas.settings.env import storage_origin_for_browsers

HEADER = "Content-Security-Policy"


def policy_of(path: str, **headers: str) -> str:
    request = HttpRequest()
    request.path = request.path_info = path
    answer = HttpResponse(headers=headers)
    PolicyMiddleware(lambda request: answer)(request)
    return str(answer[HEADER])


def test_a_page_may_load_only_what_this_server_serves() -> None:
    policy = policy_of("/jobs")
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_only_the_admin_may_evaluate_scripts() -> None:
    assert "'unsafe-eval'" in policy_of("/admin/jobs/job/")
    assert "unsafe" not in policy_of("/administration")


def test_a_views_own_stricter_policy_stands() -> None:
    assert policy_of("/jobs", **{HEADER: "default-src 'none'"}) == "default-src 'none'"


def test_scripts_may_send_to_the_storage_where_the_operator_says_so_and_else_to_this_server_alone() -> None:
    storage = storage_origin_for_browsers(
        "s3://files/ours?region=x&browser_origin=https://s3.example.com:9000"
    )
    assert storage == "https://s3.example.com:9000"
    assert pages(scripts_send_to=[storage])["connect-src"] == ["'self'", storage]
    assert "connect-src 'self';" in policy_of("/jobs") + ";"
    assert storage_origin_for_browsers("s3://files/ours?region=x") is None
    assert storage_origin_for_browsers("file:///var/files") is None


@pytest.mark.parametrize(
    "origin", ["s3.example.com", "https://s3.example.com/x", "https://a;script-src *", "*"]
)
def test_what_is_no_origin_is_refused_at_the_start(origin: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="browser_origin"):
        storage_origin_for_browsers(f"s3://files?browser_origin={origin}")
