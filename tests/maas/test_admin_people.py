"""Tests of people, memberships, keys and suspensions in the admin."""

from django.test import Client
from django.urls import reverse

from tenants.accounts.models import Membership, Tenant, User
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.maas.test_admin_actions import act

PASSWORD = "correct horse"


def test_an_operator_signs_in_with_the_password(client: Client, person: User) -> None:
    assert client.get("/admin/", follow=True).redirect_chain[-1][0] == "/sign-in?next=/admin/"
    answer = client.post("/sign-in", {"username": person.email, "password": PASSWORD, "next": "/admin/"})
    assert answer.headers["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_a_member_is_not_let_in(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    assert client.get("/admin/").status_code == 302
    assert client.get(reverse("admin:jobs_workers")).status_code == 302


def test_a_suspension_takes_effect(operator: Client, tenant: CreatedTenant) -> None:
    page = reverse("admin:tenants_tenant_change", args=[tenant.tenant.id])
    form = {"name": "n", "state": "suspended", "weight": "1"}
    for inline in operator.get(page).context["inline_admin_formsets"]:
        form |= {f"{inline.formset.prefix}-{what}_FORMS": "0" for what in ("TOTAL", "INITIAL")}
    assert operator.post(page, form).status_code == 302
    with operator_work():
        assert Tenant.objects.get(id=tenant.tenant.id).state == "suspended"


def test_a_person_made_here_signs_in_whatever_capitals_were_typed(operator: Client) -> None:
    email = f"{unique('New')}@Example.com"
    answer = operator.post(
        reverse("admin:tenants_user_add"),
        {"email": email, "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD},
    )
    assert answer.status_code == 302, answer.context["errors"]
    assert Client().post("/sign-in", {"username": email, "password": PASSWORD}).status_code == 302


def test_a_person_can_be_changed_and_deleted(operator: Client, tenant: CreatedTenant) -> None:
    page = reverse("admin:tenants_user_change", args=[tenant.owner.id])
    form = {"email": tenant.owner.email, "name": "Ada", "is_active": "on"}
    none = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
    assert operator.post(page, {**form, **none}).status_code == 302
    assert User.objects.get(id=tenant.owner.id).name == "Ada"
    delete = reverse("admin:tenants_user_delete", args=[tenant.owner.id])
    assert operator.get(delete).status_code == 200
    assert operator.post(delete, {"post": "yes"}).status_code == 302
    assert not User.objects.filter(id=tenant.owner.id).exists()


def test_a_key_is_revoked_and_its_hash_never_shown(operator: Client, tenant: CreatedTenant) -> None:
    key = tenant.key.key
    act(operator, key, "revoke", confirmed="yes")
    page = operator.get(reverse("admin:tenants_apikey_change", args=[key.id])).content.decode()
    with operator_work():
        key.refresh_from_db()
    assert key.revoked_at is not None
    assert key.secret_hash not in page


def test_a_membership_is_named_by_person_role_and_tenant(operator: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        membership = Membership.objects.get(user=tenant.owner)
        assert str(membership) == f"{tenant.owner.email} as owner of {tenant.tenant.name}"
