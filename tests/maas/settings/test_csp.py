"""Tests of the content security policy, beside the policy that a view sets itself."""

from django.http import HttpRequest, HttpResponse

from maas.settings.csp import PolicyMiddleware

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
