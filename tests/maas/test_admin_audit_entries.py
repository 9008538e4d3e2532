"""Tests that operators' changes to an account's money and people appear in its own audit log, with values."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from tenants.accounts.models import Membership, User
from tenants.audit.models import AuditEntry
from tenants.billing.ledger.models import Wallet
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.maas.conftest import logged
from tests.tenants.plans.selling import make_plan

WALLET = {"kind": "prepaid", "credit_line": "0", "budget": "", "grant": "", "reason": ""}


def told(tenant: CreatedTenant, *actions: str) -> Sequence[tuple[str, str, Mapping[str, Any]]]:
    with unit_of_work(tenant.tenant.id):
        entries = AuditEntry.objects.filter(action__in=actions).order_by("id")
        return [(entry.action, entry.note, entry.changes) for entry in entries]


def test_terms_credit_and_budgets_stand_in_the_accounts_own_log(operator: Client, tenant: CreatedTenant) -> None:
    new = {"tenant_id": str(tenant.tenant.id), "currency": "EUR", "grant": "500", "reason": "a gift"}
    operator.post(reverse("admin:tenants_wallet_add"), {**WALLET, **new, "grant_id": str(uuid7())})
    with operator_work():
        page = reverse("admin:tenants_wallet_change", args=[Wallet.objects.get(tenant=tenant.tenant).pk])
    operator.post(page, {**WALLET, "credit_line": "1000", "budget": "20", "grant_id": str(uuid7())})
    assert told(tenant, "wallet.terms_set", "wallet.credited", "budget.set", "operator.acted") == [
        ("wallet.terms_set", "", {"kind": {"before": "invoiced", "after": "prepaid"}}),
        ("wallet.credited", "a gift", {"amount_micros": {"before": None, "after": 500_000_000}}),
        ("wallet.terms_set", "", {"credit_line_micros": {"before": 0, "after": 1_000_000_000}}),
        ("budget.set", "", {"monthly": {"before": None, "after": "20.00 EUR"}}),
    ]


def test_a_price_of_its_own_stands_in_the_accounts_log(operator: Client, tenant: CreatedTenant) -> None:
    now = timezone.now()
    price = {
        "model": "",
        "meter": "call",
        "amount_micros": "7",
        "per": "1",
        "cached_micros": "",
        "currency": "EUR",
    }
    begins = {"valid_from_0": f"{now:%Y-%m-%d}", "valid_from_1": f"{now:%H:%M:%S}"}
    page = f"{reverse('admin:tenants_tenantprice_add')}?tenant={tenant.tenant.id}"
    assert operator.post(page, {**price, **begins}).status_code == 302
    [(_, _, changes)] = told(tenant, "price.added")
    assert changes["amount_micros"] == {"before": None, "after": 7_000_000}


def test_the_operators_log_says_what_a_value_was_and_is(operator: Client) -> None:
    plan = make_plan(name=unique("Plan"))
    page = reverse("admin:tenants_plan_change", args=[plan.pk])
    form = operator.get(page).context["adminform"].form
    fields = {name: "" if value is None else value for name, value in form.initial.items()}
    empty = {f"{one.prefix}-{kind}_FORMS": "0" for one in _formsets(operator, page) for kind in ("TOTAL", "INITIAL")}
    operator.post(page, {**fields, **empty, "name": f"{plan.name} of old"})
    assert f"{plan.name} → {plan.name} of old" in logged(plan.pk)


def _formsets(operator: Client, page: str) -> Sequence[Any]:
    return [one.formset for one in operator.get(page).context["inline_admin_formsets"]]


@pytest.fixture
def supporter(client: Client) -> Client:
    """Sign in a person who may change people but is no superuser."""
    with operator_work():
        person = User.objects.create_user(f"{unique('support')}@example.com", is_staff=True)
        person.user_permissions.set(Permission.objects.filter(codename__in=["view_user", "change_user"]))
    client.force_login(person)
    return client


def test_only_superusers_could_sign_in_as_a_member(supporter: Client, tenant: CreatedTenant) -> None:
    page = reverse("admin:auth_user_password_change", args=[tenant.owner.pk])
    new = {"password1": "Taken-over-9831", "password2": "Taken-over-9831", "usable_password": "true"}
    assert supporter.post(page, new).status_code == 403
    change = reverse("admin:tenants_user_change", args=[tenant.owner.pk])
    assert 'name="email"' not in supporter.get(change).content.decode()


def test_who_sets_a_members_password_or_address_is_seen_doing_it(
    operator: Client, tenant: CreatedTenant, mailoutbox: list[EmailMessage], settings: Settings
) -> None:
    settings.MAAS_EMAIL_URL = "smtp://mail.example"
    before = tenant.owner.email
    page = reverse("admin:auth_user_password_change", args=[tenant.owner.pk])
    new = {"password1": "Taken-over-9831", "password2": "Taken-over-9831", "usable_password": "true"}
    assert operator.post(page, new).status_code == 302
    fields = {"email": f"new-{before}", "name": "", "is_active": "on"}
    memberships = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
    change = reverse("admin:tenants_user_change", args=[tenant.owner.pk])
    assert operator.post(change, {**fields, **memberships}).status_code == 302
    assert told(tenant, "member.access_set") == [
        ("member.access_set", "An operator set a new password.", {}),
        ("member.access_set", "", {"email": {"before": before, "after": f"new-{before}"}}),
    ]
    assert [mail.to for mail in mailoutbox] == [[before], [before]]
    with operator_work():
        assert Membership.objects.filter(user=tenant.owner).exists()
