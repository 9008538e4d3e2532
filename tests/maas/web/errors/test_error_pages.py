"""Tests of error pages: what they say, when the frame stays, and what they must never need."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import path

from jobs.core.errors import StorageUnavailable
from maas import urls
from maas.web.errors.error_pages import bare_page, server_error
from tenants.accounts.models import Membership, Tenant
from tenants.core.db.unit_of_work import operator_work
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant

PLACES = 'aria-label="Main"'


@members_only
def breaks(request: HttpRequest, identity: Identity) -> HttpResponse:
    raise RuntimeError("a secret of the machine room")


@members_only
def unavailable_database(request: HttpRequest, identity: Identity) -> HttpResponse:
    raise OperationalError("server closed the connection")


def strangers_break(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a secret of the machine room")


@members_only
def refuses(request: HttpRequest, identity: Identity) -> HttpResponse:
    raise StorageUnavailable("The files cannot be reached.", extra={"retry_after_s": 7})


urlpatterns = [
    *urls.urlpatterns,
    path("breaks", breaks),
    path("away", unavailable_database),
    path("strangers-break", strangers_break),
    path("refuses", refuses),
]
handler400, handler403, handler404, handler500 = (
    urls.handler400,
    urls.handler403,
    urls.handler404,
    urls.handler500,
)


@pytest.fixture
def visitor() -> Iterator[Client]:
    with override_settings(ROOT_URLCONF=__name__):
        yield Client(raise_request_exception=False, headers={"X-Request-Id": "unused"})


@pytest.fixture
def member(visitor: Client, tenant: CreatedTenant) -> Client:
    visitor.force_login(tenant.owner)
    return visitor


def page_of(answer: Any, status: int) -> str:
    assert answer.status_code == status
    assert "no-store" in answer["Cache-Control"]
    return str(answer.content.decode())


def test_a_broken_view_answers_with_the_requests_id_and_no_secret(member: Client) -> None:
    page = page_of(member.get("/breaks", **{"maas.request_id": "req-77"}), 500)  # type: ignore[arg-type]
    assert '<code id="request-id">req-77</code>' in page
    assert "machine room" not in page
    assert 'id="again" href="/breaks"' in page


def test_the_frame_stays_around_what_broke(member: Client) -> None:
    assert PLACES in page_of(member.get("/breaks"), 500)


def test_a_stranger_gets_the_page_without_the_frame(visitor: Client) -> None:
    assert PLACES not in page_of(visitor.get("/strangers-break"), 500)


def test_a_database_that_is_away_is_waited_for(member: Client) -> None:
    answer = member.get("/away")
    page = page_of(answer, 503)
    assert answer["Retry-After"] == "2"
    assert 'data-seconds="2" data-by-itself' in page
    assert "server closed" not in page


def test_a_refusal_that_a_page_raises_is_worded_by_the_one_table(member: Client) -> None:
    answer = member.get("/refuses")
    assert "The files cannot be reached." in page_of(answer, 503)
    assert answer["Retry-After"] == "7"


def test_nothing_is_asked_of_a_database_that_may_be_away(visitor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*args: object, **kwargs: object) -> None:
        raise OperationalError("away")

    monkeypatch.setattr("django.db.backends.utils.CursorWrapper.execute", away)
    visitor.cookies["sessionid"] = "whatever"
    assert PLACES not in page_of(visitor.get("/jobs"), 503)


def test_an_address_that_is_nothing_keeps_the_frame_for_members(member: Client) -> None:
    page = page_of(member.get("/nowhere"), 404)
    assert PLACES in page
    assert "No page at /nowhere." in page
    assert 'id="again"' not in page


def test_an_address_that_is_nothing_is_told_to_strangers_too(visitor: Client) -> None:
    assert PLACES not in page_of(visitor.get("/nowhere"), 404)


def test_what_was_sent_is_asked_again_from_where_it_was_sent(member: Client) -> None:
    page = member.post("/breaks", headers={"Referer": "http://testserver/keys/new"}, HTTP_HOST="testserver")
    assert 'id="again" href="/keys/new"' in page.content.decode()
    search = {"Referer": "http://testserver/jobs?q=invoice&page=2"}
    page = member.post("/breaks", headers=search, HTTP_HOST="testserver")
    assert 'id="again" href="/jobs?q=invoice&amp;page=2"' in page.content.decode()
    foreign = member.post("/breaks", headers={"Referer": "http://evil.example/x"}, HTTP_HOST="testserver")
    assert 'id="again" href="/"' in foreign.content.decode()


def test_trying_again_never_leads_to_another_site(member: Client) -> None:
    page = member.post("/breaks", headers={"Referer": "http://testserver//evil.example/"}, HTTP_HOST="testserver")
    assert 'id="again" href="/%2Fevil.example/"' in page.content.decode()
    away = {"status": 503, "title": "Unavailable", "detail": "Wait.", "code": "restarting"}
    bare = bare_page(away, "//evil.example/ü", "page=2&x=1")
    assert 'id="again" href="/%2Fevil.example/%C3%BC?page=2&amp;x=1"' in bare


def test_a_role_that_does_not_suffice_is_told_who_can_help(member: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        Membership.objects.update_or_create(
            user=tenant.owner, tenant=tenant.tenant, defaults={"role": Membership.Role.VIEWER}
        )
    page = page_of(member.get("/keys"), 403)
    assert PLACES in page
    assert "does not allow you to see its API keys" in page
    assert "keys:read" not in page
    assert page.count("another role") == 1


def test_a_suspended_account_leads_on_to_ones_others(
    member: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    with operator_work():
        Membership.objects.create(tenant=other_tenant.tenant, user=tenant.owner)
    member.post("/tenant", {"tenant": str(tenant.tenant.id)})
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(state=Tenant.State.SUSPENDED)
    page = member.get("/keys").content.decode()
    assert f"Switch to {other_tenant.tenant.name}" in page
    member.post("/tenant", {"tenant": str(other_tenant.tenant.id)})
    assert member.get("/keys").status_code == 200


def test_a_first_account_that_is_suspended_locks_nobody_out(
    member: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    with operator_work():
        Membership.objects.create(tenant=other_tenant.tenant, user=tenant.owner)
        Tenant.objects.filter(id=tenant.tenant.id).update(state=Tenant.State.SUSPENDED)
    assert member.get("/keys").status_code == 200


def answer(path: str, error: Exception) -> HttpResponse:
    """Return the answer to an error. Django calls the handler while the error is being handled."""
    try:
        raise error
    except type(error):
        return server_error(RequestFactory().get(path))


def test_a_page_says_that_the_database_is_away_and_when_to_come_back() -> None:
    page = answer("/jobs", OperationalError("server closed the connection"))
    assert (page.status_code, page["Retry-After"]) == (503, "2")
    assert b"server closed" not in page.content


def test_what_broke_otherwise_is_our_fault_and_tells_nothing() -> None:
    page = answer("/jobs", ZeroDivisionError("division by zero"))
    assert page.status_code == 500
    assert b"division" not in page.content


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("POST", "/v1/chat/completions", "not_found"),
        ("GET", "/v1", "not_found"),
        ("DELETE", "/v1/openapi.json", "method_not_allowed"),
    ],
)
def test_openai_clients_find_their_error_where_nothing_is_under_v1(method: str, path: str, code: str) -> None:
    answer = Client().generic(method, path)
    body = answer.json()
    assert (body["code"], body["error"]["code"]) == (code, code)
    assert body["error"]["message"] == body["detail"]
