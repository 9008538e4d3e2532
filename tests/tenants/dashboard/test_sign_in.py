"""Tests of signing in and out, and of what people see who belong to no tenant."""

import pytest
from django.test import Client
from pytest_django import Settings

from tenants.accounts.models import Membership, Tenant, User
from tenants.cells.cells import Cell, Cells
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique

PASSWORD = "correct horse"


def sign_in(client: Client, email: str, password: str = PASSWORD, **fields: str) -> tuple[int, str, str]:
    answer = client.post("/sign-in", {"username": email, "password": password, **fields})
    return answer.status_code, answer.headers.get("Location", ""), answer.content.decode()


def test_a_member_who_signs_in_sees_the_jobs(client: Client, tenant: CreatedTenant) -> None:
    assert sign_in(client, tenant.owner.email)[:2] == (302, "/jobs")
    page = client.get("/jobs")
    assert page.status_code == 200
    assert tenant.owner.email in page.content.decode()


def test_capital_letters_in_an_address_do_not_matter(client: Client, tenant: CreatedTenant) -> None:
    assert sign_in(client, tenant.owner.email.upper())[0] == 302


@pytest.mark.parametrize(
    ("email", "password"),
    [("nobody@example.com", PASSWORD), ("", ""), ("not an address", "x"), ("a@example.com\x00", "x")],
)
def test_wrong_credentials_are_refused_in_words(client: Client, email: str, password: str) -> None:
    status, _, page = sign_in(client, email, password)
    assert status == 200
    assert 'class="bad"' in page or "Wrong email or password" in page
    assert "_auth_user_id" not in client.session


def test_a_wrong_password_reads_like_an_unknown_address(client: Client, tenant: CreatedTenant) -> None:
    assert "Wrong email or password" in sign_in(client, tenant.owner.email, "wrong")[2]
    assert "Wrong email or password" in sign_in(client, "nobody@example.com", "wrong")[2]


@pytest.mark.parametrize("path", ["/sign-in", "/password/forgotten"])
def test_a_person_of_another_cell_finds_its_sign_in_page(client: Client, settings: Settings, path: str) -> None:
    assert "in another region" not in client.get(path).content.decode()
    urls = {name: f"https://{name}.example.com" for name in ("eu", "us", "ap")}
    settings.MAAS_CELLS = Cells("eu", by_name={name: Cell(name, url, ()) for name, url in urls.items()}, secret=b"s")
    page = client.get(path).content.decode()
    assert "This is the region eu." in page
    for name in ("us", "ap"):
        assert f'<a href="{urls[name]}/sign-in">{name}</a>' in page
    assert urls["eu"] not in page


def test_after_signing_in_one_is_where_one_wanted_to_be(client: Client, tenant: CreatedTenant) -> None:
    asked = client.get("/jobs/7?after=20")
    assert asked.headers["Location"] == "/sign-in?next=/jobs/7%3Fafter%3D20"
    assert sign_in(client, tenant.owner.email, next="/jobs/7?after=20")[1] == "/jobs/7?after=20"


def test_signing_in_leads_to_no_other_site(client: Client, tenant: CreatedTenant) -> None:
    assert sign_in(client, tenant.owner.email, next="https://evil.example/")[1] == "/jobs"


def test_a_member_before_the_operators_door_is_told_why_it_is_shut(client: Client, tenant: CreatedTenant) -> None:
    assert "this page is for operators only" not in client.get("/admin/", follow=True).content.decode()
    client.force_login(tenant.owner)
    page = client.get("/admin/", follow=True).content.decode()
    assert f"You are signed in as {tenant.owner.email}; this page is for operators only." in page
    assert 'href="/">back to your documents' in page


def test_signing_out_ends_the_session(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    assert client.post("/sign-out").headers["Location"] == "/sign-in"
    assert client.get("/jobs").headers["Location"].startswith("/sign-in")


def test_a_link_cannot_sign_anyone_out(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    assert client.get("/sign-out").status_code == 405
    assert client.get("/jobs").status_code == 200


def test_signing_in_needs_a_csrf_token_and_says_so(tenant: CreatedTenant) -> None:
    answer = Client(enforce_csrf_checks=True).post("/sign-in", {"username": tenant.owner.email})
    assert answer.status_code == 403
    assert "Please try again" in answer.content.decode()


def test_a_person_without_a_tenant_is_told_so(client: Client) -> None:
    with operator_work():
        client.force_login(User.objects.create_user(f"{unique('lonely')}@example.com", PASSWORD))
    answer = client.get("/jobs")
    assert answer.status_code == 403
    assert "No account yet" in answer.content.decode()


def test_a_member_of_a_suspended_tenant_is_told_so(client: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(state=Tenant.State.SUSPENDED)
    client.force_login(tenant.owner)
    answer = client.get("/jobs")
    assert answer.status_code == 403
    assert "This account is suspended" in answer.content.decode()


def test_a_person_who_was_deactivated_is_signed_out(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    with operator_work():
        User.objects.filter(id=tenant.owner.id).update(is_active=False)
    assert client.get("/jobs").headers["Location"].startswith("/sign-in")


def test_a_member_who_was_removed_sees_nothing_any_more(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    with operator_work():
        Membership.objects.filter(user=tenant.owner).delete()
    assert client.get("/jobs").status_code == 403
