"""Tests of keys on the dashboard: they are made, shown once, rotated and revoked, by people who may do so."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connections
from django.test import Client, override_settings
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tenants.accounts.models import Membership
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import MAX_WORKING_KEYS, create_key, rotate_key
from tenants.authentication.selectors import identify_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.errors import InvalidKey, TooManyKeys
from tenants.identity.identity import KEY_SCOPES, SCOPES
from tenants.onboarding.create_tenant import CreatedTenant

FIELDS = {"name": "Scanner", "mode": "live", "preset": "all", "lifetime": "never"}
KEY = re.compile(r"maas_(?:live|test)_\w{12}_\w{38}")


def make(client: Client, **fields: object) -> tuple[int, str]:
    answer = client.post("/keys/new", {**FIELDS, **fields})
    return answer.status_code, answer.content.decode()


def shown_key(page: str) -> str:
    found = KEY.search(page)
    assert found, page
    return found[0]


def key_of(tenant: CreatedTenant, **wanted: object) -> ApiKey:
    with unit_of_work(tenant.tenant.id):
        return ApiKey.objects.select_related("created_by").get(**wanted)


def test_a_key_that_is_made_works_at_once(member: Client, tenant: CreatedTenant) -> None:
    status, page = make(member)
    identity = identify_key(shown_key(page))
    assert status == 200
    assert (identity.tenant_id, identity.livemode) == (tenant.tenant.id, True)
    assert "curl -H" in page


def test_a_key_is_shown_once_and_kept_by_nobody(member: Client) -> None:
    answer = member.post("/keys/new", FIELDS)
    text = shown_key(answer.content.decode())
    assert "no-store" in answer["Cache-Control"]
    secret = text.rsplit("_", 1)[1]
    for path in ("/keys", "/keys/new"):
        assert secret not in member.get(path).content.decode()
    assert secret not in str(dict(member.session))


def test_the_list_tells_who_made_a_key_and_what_it_may_do(member: Client, tenant: CreatedTenant) -> None:
    make(member, name="Reports", preset="read")
    page = member.get("/keys").content.decode()
    assert all(words in page for words in ("Reports", "Read only", f"by {tenant.owner.email}"))
    assert key_of(tenant, name="Reports").prefix in page


@pytest.mark.parametrize(
    ("preset", "scopes", "title"),
    [("all", KEY_SCOPES, "Everything"), ("work", SCOPES, "Documents, jobs and webhooks")],
)
def test_a_key_has_the_scopes_of_its_preset(member: Client, preset: str, scopes: tuple[str, ...], title: str) -> None:
    assert 'value="work" checked' in member.get("/keys/new").content.decode(), "the form suggests daily work"
    _, page = make(member, name="All", preset=preset)
    assert identify_key(shown_key(page)).scopes == frozenset(scopes)
    assert title in member.get("/keys").content.decode()


def test_nobody_is_offered_a_set_of_scopes_beyond_their_role(member: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        Membership.objects.filter(tenant_id=tenant.tenant.id).update(role=Membership.Role.DEVELOPER)
    assert "Everything" not in member.get("/keys/new").content.decode()
    assert make(member, preset="all")[0] == 422


def test_the_first_key_of_an_account_may_do_all_that_a_key_can(tenant: CreatedTenant) -> None:
    assert identify_key(tenant.key.text).scopes == frozenset(KEY_SCOPES)


def test_chosen_scopes_mode_and_lifetime_are_what_the_key_gets(member: Client, tenant: CreatedTenant) -> None:
    _, page = make(member, preset="custom", scopes=["jobs:read", "jobs:write"], mode="test", lifetime="30")
    identity = identify_key(shown_key(page))
    assert (identity.scopes, identity.livemode) == (frozenset({"jobs:read", "jobs:write"}), False)
    left = (key_of(tenant, id=identity.key_id).expires_at or timezone.now()) - timezone.now()
    assert timedelta(days=29) < left <= timedelta(days=30)


def test_a_key_works_to_the_end_of_its_last_day(member: Client, tenant: CreatedTenant) -> None:
    today = timezone.now().date()
    make(member, name="Today", lifetime="date", last_day=f"{today}")
    ends = key_of(tenant, name="Today").expires_at
    assert ends is not None
    assert (ends.date(), ends.hour) == (today + timedelta(days=1), 0)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": ""}, "Enter a name"),
        ({"name": "x" * 101}, "at most 100"),
        ({"preset": "custom"}, "Choose at least one permission"),
        ({"preset": "custom", "scopes": ["keys:write"]}, "keys:write is not one of the available choices"),
        ({"lifetime": "date"}, "Choose the last day"),
        ({"lifetime": "date", "last_day": "2020-01-01"}, "1 Jan 2020 is in the past"),
        ({"lifetime": "date", "last_day": "2999-01-01"}, "at most five years"),
        ({"lifetime": "date", "last_day": "soon"}, "YYYY-MM-DD"),
        ({"mode": "free"}, "The key was not created"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
def test_what_is_wrong_is_said_and_no_key_is_made(
    member: Client, tenant: CreatedTenant, fields: dict[str, object], words: str
) -> None:
    status, page = make(member, **fields)
    assert status == 422
    assert words in page
    with unit_of_work(tenant.tenant.id):
        assert ApiKey.objects.count() == 1


@pytest.fixture
def one_place_left(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        for number in range(MAX_WORKING_KEYS - 2):
            create_key(tenant_id=tenant.tenant.id, name=f"key {number}")


@pytest.mark.usefixtures("one_place_left")
def test_an_account_has_a_bounded_number_of_working_keys(member: Client, tenant: CreatedTenant) -> None:
    assert make(member)[0] == 200
    status, page = make(member)
    assert status == 422
    assert f"has {MAX_WORKING_KEYS} active keys" in page


@pytest.mark.usefixtures("one_place_left")
def test_a_key_that_works_beside_its_successor_counts_too(member: Client, tenant: CreatedTenant) -> None:
    make(member)
    path = f"/keys/{tenant.key.key.id}/rotate"
    refused = member.post(path, {"overlap": "3600"}, follow=True).content.decode()
    assert f"has {MAX_WORKING_KEYS} active keys" in refused
    assert key_of(tenant, id=tenant.key.key.id).expires_at is None
    assert shown_key(member.post(path, {"overlap": "0"}).content.decode())


@pytest.mark.usefixtures("one_place_left")
def test_two_who_make_a_key_at_once_do_not_both_get_the_last_place(tenant: CreatedTenant) -> None:
    def make_one(name: str) -> bool:
        try:
            with unit_of_work(tenant.tenant.id):
                create_key(tenant_id=tenant.tenant.id, name=name)
        except TooManyKeys:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(make_one, "abcdefgh")).count(True) == 1


@override_settings(MAAS_PUBLIC_URL="https://ai.example.com/")
def test_the_line_to_try_a_key_with_names_the_address_that_people_use(member: Client) -> None:
    _, page = make(member)
    assert " https://ai.example.com/v1/models" in page


def test_a_revoked_key_works_no_more_and_is_listed_as_such(member: Client, tenant: CreatedTenant) -> None:
    key = tenant.key.key
    asked = member.get(f"/keys/{key.id}/revoke").content.decode()
    assert key.name in asked
    assert "Never used" in asked
    page = member.post(f"/keys/{key.id}/revoke", follow=True).content.decode()
    assert "was revoked" in page
    assert "1 inactive key" in page
    with pytest.raises(InvalidKey, match="revoked"):
        identify_key(tenant.key.text)


def test_whoever_revokes_is_told_when_the_key_was_last_used(member: Client, tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        ApiKey.objects.update(last_used_at=timezone.now() - timedelta(minutes=5))
    assert "Last used 5 min ago" in member.get(f"/keys/{tenant.key.key.id}/revoke").content.decode()


@pytest.mark.parametrize("overlap_s", [3600, 86_400])
def test_a_rotated_key_works_beside_its_successor_for_a_while(
    member: Client, tenant: CreatedTenant, overlap_s: int
) -> None:
    answer = member.post(f"/keys/{tenant.key.key.id}/rotate", {"overlap": overlap_s})
    new, old = identify_key(shown_key(answer.content.decode())), identify_key(tenant.key.text)
    assert new.scopes == old.scopes
    ends = key_of(tenant, id=old.key_id).expires_at
    assert ends is not None
    assert abs((ends - timezone.now()).total_seconds() - overlap_s) < 60
    assert "replaced" in member.get("/keys").content.decode()


def test_a_key_that_leaked_is_rotated_without_overlap(member: Client, tenant: CreatedTenant) -> None:
    answer = member.post(f"/keys/{tenant.key.key.id}/rotate", {"overlap": "0"})
    assert identify_key(shown_key(answer.content.decode())).key_id != tenant.key.key.id
    with pytest.raises(InvalidKey, match="revoked"):
        identify_key(tenant.key.text)


def test_rotating_twice_makes_one_successor(member: Client, tenant: CreatedTenant) -> None:
    member.post(f"/keys/{tenant.key.key.id}/rotate", {"overlap": "3600"})
    page = member.post(f"/keys/{tenant.key.key.id}/rotate", {"overlap": "604800"}, follow=True)
    assert "was already replaced" in page.content.decode()
    with unit_of_work(tenant.tenant.id):
        assert ApiKey.objects.count() == 2


def test_an_overlap_never_lengthens_a_keys_life(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        soon = timezone.now() + timedelta(minutes=10)
        made = create_key(tenant_id=tenant.tenant.id, name="short", expires_at=soon)
        assert rotate_key(key_id=made.key.id, overlap=timedelta(days=7))
    assert key_of(tenant, id=made.key.id).expires_at == soon


def test_a_successor_has_the_limits_of_the_key_that_it_replaces(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        ApiKey.objects.filter(id=tenant.key.key.id).update(requests_per_minute=5, calls_at_once=2)
        made = rotate_key(key_id=tenant.key.key.id, overlap=timedelta(days=7))
    assert made
    assert (made.key.requests_per_minute, made.key.calls_at_once, made.key.tokens_per_minute) == (5, 2, None)


def test_a_key_that_ended_cannot_be_rotated(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        past = timezone.now() - timedelta(seconds=1)
        made = create_key(tenant_id=tenant.tenant.id, name="over", expires_at=past)
        assert rotate_key(key_id=made.key.id, overlap=timedelta(days=1)) is None


@pytest.mark.parametrize("action", ["rotate", "revoke"])
def test_another_tenants_key_is_like_one_that_never_was(stranger: Client, tenant: CreatedTenant, action: str) -> None:
    for key_id in (tenant.key.key.id, uuid4(), "nonsense"):
        assert stranger.get(f"/keys/{key_id}/{action}").status_code == 404
        assert stranger.post(f"/keys/{key_id}/{action}", {"overlap": "0"}).status_code == 404
    assert identify_key(tenant.key.text).key_id == tenant.key.key.id
    assert tenant.key.key.prefix not in stranger.get("/keys").content.decode()


def test_an_account_without_a_working_key_is_shown_how_to_make_one(member: Client, tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        ApiKey.objects.all().delete()
    assert "Create your first key" in member.get("/keys").content.decode()


def test_the_list_asks_as_much_for_many_keys_as_for_one(
    member: Client, tenant: CreatedTenant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with unit_of_work(tenant.tenant.id):
        for number in range(30):
            create_key(tenant_id=tenant.tenant.id, name=f"{number}", created_by=tenant.owner.id)
    # The queries are: session, person, accounts; transaction, its tenant, working keys, ended keys, commit.
    with django_assert_num_queries(7):
        member.get("/keys")
