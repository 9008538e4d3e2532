"""An operator makes a tenant, its owner, its first key and its members in the admin, without a shell."""

import re
from typing import Any
from uuid import UUID

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connections
from django.test import Client
from django.urls import reverse

from tenants.accounts.models import Membership, Tenant, User
from tenants.accounts.services import create_operator
from tenants.authentication.selectors import identify_key
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique

ADD = reverse("admin:tenants_tenant_add")


@pytest.fixture
def person() -> User:
    return create_operator(email=f"{unique('operator')}@example.com", password="correct horse")


def filled(operator: Client, name: str, email: str) -> dict[str, str]:
    form_id = re.search(r'name="made_as" value="([^"]+)"', operator.get(ADD).content.decode())
    assert form_id is not None
    return {"name": name, "owner_email": email, "made_as": form_id[1]}


def told(page: str, what: str) -> str | None:
    found = re.search(rf'<code id="{what}">([^<]+)</code>', page)
    return found and found[1]


def tenants_named(name: str) -> list[Tenant]:
    with operator_work():
        return list(Tenant.objects.filter(name=name))


def test_the_owner_signs_in_and_the_key_works_with_what_was_shown_once(operator: Client, person: User) -> None:
    name, email = unique("Acme"), f"{unique('Owner')}@Example.com"
    answer = operator.post(ADD, filled(operator, name, email))
    page = answer.content.decode()
    assert "no-store" in answer.headers["Cache-Control"]
    password, key = told(page, "password"), told(page, "key")
    assert Client().post("/sign-in", {"username": email, "password": password}).status_code == 302
    (tenant,) = tenants_named(name)
    assert identify_key(key or "").tenant_id == tenant.pk
    with operator_work():
        assert Membership.objects.get(tenant=tenant).role == "owner"
        entry = LogEntry.objects.get(user=person, object_id=str(tenant.pk))
    assert entry.is_addition()


def test_what_was_shown_once_is_kept_nowhere(operator: Client) -> None:
    page = operator.post(ADD, filled(operator, unique("Acme"), f"{unique('o')}@example.com")).content.decode()
    password, key = told(page, "password"), told(page, "key")
    assert password
    assert key
    with connections[OPERATOR].cursor() as cursor:
        for table in ("tenants_user", "tenants_apikey", "django_admin_log", "django_session"):
            cursor.execute(
                f"SELECT count(*) FROM {table} t WHERE t::text LIKE ANY (%s)",
                [[f"%{password}%", f"%{key}%", f"%{key[-38:]}%"]],
            )
            assert cursor.fetchone() == (0,), table


def test_a_form_that_is_sent_again_makes_no_second_tenant(operator: Client) -> None:
    name = unique("Acme")
    form = filled(operator, name, f"{unique('o')}@example.com")
    operator.post(ADD, form)
    again = operator.post(ADD, form).content.decode()
    assert "You already created this tenant with this form" in again
    assert told(again, "key") is None
    assert len(tenants_named(name)) == 1


def test_a_person_who_is_known_keeps_the_password(operator: Client, tenant: CreatedTenant) -> None:
    page = operator.post(ADD, filled(operator, unique("Second"), tenant.owner.email)).content.decode()
    assert told(page, "password") is None
    assert "this user already exists" in page
    assert User.objects.get(pk=tenant.owner.pk).check_password("correct horse")


@pytest.mark.parametrize(("name", "email"), [("", "a@example.com"), ("Acme", "no address"), ("Acme", "")])
def test_what_is_missing_is_said_and_nothing_is_made(operator: Client, name: str, email: str) -> None:
    form = filled(operator, name, email)
    answer = operator.post(ADD, form)
    assert answer.context["errors"]
    with operator_work():
        assert not Tenant.objects.filter(pk=UUID(form["made_as"])).exists()


def unchanged_limits(operator: Client, page: str) -> dict[str, str]:
    formset = operator.get(page).context["inline_admin_formsets"][1].formset
    return {f"{formset.prefix}-TOTAL_FORMS": "0", f"{formset.prefix}-INITIAL_FORMS": "0"}


def add_member(operator: Client, tenant: CreatedTenant, *people: User) -> Any:
    page = reverse("admin:tenants_tenant_change", args=[tenant.tenant.pk])
    formset = operator.get(page).context["inline_admin_formsets"][0].formset
    prefix, already = formset.prefix, formset.initial_form_count()
    form = unchanged_limits(operator, page) | {
        "name": "n",
        "state": "active",
        "weight": "1",
        f"{prefix}-TOTAL_FORMS": str(already + len(people)),
        f"{prefix}-INITIAL_FORMS": str(already),
    }
    form |= {f"{prefix}-{row}-id": str(one.instance.pk) for row, one in enumerate(formset.initial_forms)}
    for row, person in enumerate(people, start=already):
        form |= {f"{prefix}-{row}-user": str(person.pk), f"{prefix}-{row}-role": "viewer"}
    return operator.post(page, form)


def test_a_member_is_added_on_the_tenants_page(
    operator: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    assert add_member(operator, tenant, other_tenant.owner).status_code == 302
    with unit_of_work(tenant.tenant.pk):
        assert Membership.objects.get(user=other_tenant.owner).role == "viewer"


def test_who_is_a_member_already_is_said_beside_the_row(operator: Client, tenant: CreatedTenant) -> None:
    answer = add_member(operator, tenant, tenant.owner)
    assert answer.status_code == 200
    assert f"{tenant.owner.email} is already a member with the role owner" in answer.content.decode()


def test_a_person_is_not_added_twice_at_once(
    operator: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    assert add_member(operator, tenant, other_tenant.owner, other_tenant.owner).status_code == 200
    with unit_of_work(tenant.tenant.pk):
        assert not Membership.objects.filter(user=other_tenant.owner).exists()
