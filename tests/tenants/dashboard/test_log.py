"""Tests of the API log on the dashboard, with requests that the tests put into the log."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
import redis
from django.conf import settings
from django.test import Client, override_settings
from pytest_django import DjangoAssertNumQueries

from tenants.accounts.models import Membership
from tenants.api_keys.services import create_key, revoke_key
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.redis.cache import cache_redis
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.request_log import store
from tenants.request_log.entries import LogEntry
from tests.fixtures import unique

PROBLEM = '{"code": "model_not_found", "detail": "There is no model embedd.", "status": 404}'
Tell = Callable[..., LogEntry]


@pytest.fixture
def tell(tenant: CreatedTenant) -> Tell:
    """Return a function that adds an entry, as the guard does after an answer."""
    client = redis.Redis.from_url(settings.MAAS_CACHE_URL)
    plain = LogEntry("", time.time(), 12.3, "GET", "/v1/jobs", 200, "req-1", str(tenant.key.key.id), "", "curl/8", "")

    def add(**fields: Any) -> LogEntry:
        entry = plain._replace(id=unique("entry"), **fields)
        pipeline = client.pipeline()
        store.add_to(pipeline, {tenant.tenant.id: [entry.to_text()]}, {})
        pipeline.execute()
        return entry

    return add


def shown(client: Client, **query: str) -> str:
    answer = client.get("/log", query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_request_is_shown_with_who_made_it(member: Client, tenant: CreatedTenant, tell: Tell) -> None:
    tell(path="/v1/models")
    tell(path="/v1/documents", key_id="", user_id=str(tenant.owner.id))
    page = shown(member)
    assert all(words in page for words in ("/v1/models", "First key", "12 ms", "/v1/documents"))
    assert page.count(tenant.owner.email) > 2


def test_a_refusal_says_what_was_wrong(member: Client, tell: Tell) -> None:
    entry = tell(status=404, problem=PROBLEM)
    assert "model_not_found" in shown(member)
    page = member.get(f"/log/{entry.id}").content.decode()
    assert "There is no model embedd." in page
    assert "req-1" in page


JOB = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.mark.parametrize(
    "request_of_a_job",
    [
        {"method": "POST", "status": 202, "made": f"/v1/jobs/{JOB}"},
        {"path": f"/v1/jobs/{JOB}"},
        {"path": f"/v1/jobs/{JOB}/result?include=words", "status": 409},
        {"method": "POST", "path": f"/v1/jobs/{JOB}/retry", "made": "/v1/elsewhere"},
    ],
    ids=["made", "read", "part of it", "by its path"],
)
def test_a_request_leads_to_its_job(member: Client, tell: Tell, request_of_a_job: dict[str, Any]) -> None:
    entry = tell(**request_of_a_job)
    assert f'href="/jobs/{JOB}"' in member.get(f"/log/{entry.id}").content.decode()


@pytest.mark.parametrize(
    "other_request",
    [
        {"path": f"/v1/jobs/{JOB}", "status": 404},
        {"path": f"/v1/jobs/{JOB}", "method": "DELETE", "status": 204},
        {"path": f"/v1/jobs/{JOB}0"},
        {"path": f"/v1/documents/{JOB}"},
    ],
    ids=["not found", "deleted", "no id", "no job"],
)
def test_no_link_leads_to_nothing(member: Client, tell: Tell, other_request: dict[str, Any]) -> None:
    entry = tell(**other_request)
    assert 'href="/jobs/' not in member.get(f"/log/{entry.id}").content.decode()


def test_a_long_refusal_is_shortened_before_the_whole_of_it(member: Client, tell: Tell) -> None:
    entry = tell(status=400, problem=json.dumps({"code": "invalid", "detail": "x" * 400}))
    page = member.get(f"/log/{entry.id}").content.decode()
    assert f">{'x' * 299}…</p>" in page
    assert "x" * 400 in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"status": "ok"}, "/v1/good"),
        ({"status": "4xx"}, "/v1/refused"),
        ({"status": "5xx"}, "/v1/failed"),
        ({"path": "REFU"}, "/v1/refused"),
        ({"key": "people"}, "/v1/failed"),
    ],
    ids=["succeeded", "refused", "failed", "path", "people"],
)
def test_a_filter_leaves_what_it_names(
    member: Client, tenant: CreatedTenant, tell: Tell, query: dict[str, str], found: str
) -> None:
    tell(path="/v1/good")
    tell(path="/v1/refused", status=429)
    tell(path="/v1/failed", status=500, key_id="", user_id=str(tenant.owner.id))
    page = shown(member, **query)
    assert [path for path in ("/v1/good", "/v1/refused", "/v1/failed") if f"</span> {path}</a>" in page] == [found]


def test_looking_again_costs_nothing_while_nothing_happens(member: Client, tell: Tell) -> None:
    entry = tell()
    again = member.get("/log", {"newest": entry.id}, headers={"HX-Request": "true"})
    assert (again.status_code, again.content) == (204, b"")
    tell(path="/v1/newer")
    part = member.get("/log", {"newest": entry.id}, headers={"HX-Request": "true"}).content.decode()
    assert "/v1/newer" in part
    assert "<html" not in part


def test_a_hundred_rows_are_shown_unless_all_are_asked_for(member: Client, tell: Tell) -> None:
    for _ in range(110):
        tell()
    assert "The newest 100 of 110" in shown(member)
    assert shown(member, rows="all").count('class="entry"') == 110


def test_names_are_those_of_working_keys_and_of_keys_in_the_log(
    member: Client, tenant: CreatedTenant, tell: Tell
) -> None:
    with unit_of_work(tenant.tenant.id):
        ended = [create_key(tenant_id=tenant.tenant.id, name=name).key for name in ("Seen once", "Long gone")]
        create_key(tenant_id=tenant.tenant.id, name="Idle")
        for key in ended:
            revoke_key(key_id=key.id)
    tell(key_id=str(ended[0].id))
    page = shown(member)
    assert all(name in page for name in ("First key", "Idle", "Seen once"))
    assert "Long gone" not in page


def test_keys_of_one_name_are_told_apart_by_their_prefixes(member: Client, tenant: CreatedTenant, tell: Tell) -> None:
    with unit_of_work(tenant.tenant.id):
        twin = create_key(tenant_id=tenant.tenant.id, name="First key").key
        create_key(tenant_id=tenant.tenant.id, name="Alone")
    tell(key_id=str(twin.id))
    page = shown(member)
    assert f">First key ({tenant.key.key.prefix}_…)</option>" in page
    assert page.count(f">First key ({twin.prefix}_…)<") == 2
    assert ">Alone</option>" in page


@override_settings(MAAS_PUBLIC_URL="https://ai.example.com/")
def test_an_empty_log_shows_a_first_call_to_the_address_that_people_use(member: Client) -> None:
    page = shown(member)
    assert "curl -H" in page
    assert " https://ai.example.com/v1/models" in page


def test_what_a_caller_wrote_is_shown_as_text(member: Client, tell: Tell) -> None:
    entry = tell(path="/v1/<script>alert(1)</script>", client="<b>bold</b>")
    assert "<script>alert" not in shown(member)
    assert "<b>bold" not in member.get(f"/log/{entry.id}").content.decode()


def test_another_tenants_request_is_like_one_that_never_was(stranger: Client, tell: Tell) -> None:
    entry = tell(path="/v1/secret")
    assert "/v1/secret" not in shown(stranger)
    assert stranger.get(f"/log/{entry.id}").status_code == stranger.get("/log/nothing").status_code == 404


def test_a_log_that_cannot_be_read_says_so(member: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MAAS_CACHE_URL", "redis://127.0.0.1:1/0")
    cache_redis.cache_clear()
    try:
        assert "The log is temporarily unavailable" in shown(member)
        assert member.get("/log/one").status_code == 404
    finally:
        cache_redis.cache_clear()


def test_what_an_older_version_wrote_is_passed_over(member: Client, tenant: CreatedTenant, tell: Tell) -> None:
    tell(path="/v1/new")
    client = redis.Redis.from_url(settings.MAAS_CACHE_URL)
    client.lpush(store.tenant_key(tenant.tenant.id), '["too", "short"]', "no json")
    assert "/v1/new" in shown(member)


def test_who_may_not_see_the_log_is_told_so_once_and_in_words(in_role: Callable[[str], Client]) -> None:
    client = in_role(Membership.Role.VIEWER)
    assert client.get("/log").status_code == client.get("/log/x").status_code == 403
    page = client.get("/log").content.decode()
    assert "does not allow you to see its API log" in page
    assert page.count("another role") == 1
    assert "log:read" not in page


def test_the_log_asks_as_much_for_many_requests_as_for_one(
    member: Client, tell: Tell, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(20):
        tell()
    # The queries are: session, person, accounts; transaction, its tenant, keys, people, commit.
    with django_assert_num_queries(7):
        shown(member)
