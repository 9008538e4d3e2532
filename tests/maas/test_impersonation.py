"""Tests of an operator who acts as a member: for a reason, for a limited time, in one account, and on record."""

from datetime import timedelta
from uuid import UUID

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tenants.accounts.models import Membership, Tenant, User
from tenants.accounts.services import set_tenant_state
from tenants.audit.models import AuditEntry
from tenants.authentication.impersonation import NAME
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant

REASON = "They asked why their keys are refused."


def begin(operator: Client, tenant: CreatedTenant, **more: str) -> int:
    with operator_work():
        member = Membership.objects.get(tenant=tenant.tenant)
    at = reverse("admin:tenants_tenant_act_as", args=[tenant.tenant.id])
    return operator.post(at, {"member": str(member.pk), "reason": REASON, **more}).status_code


def entries(tenant_id: UUID) -> list[AuditEntry]:
    with unit_of_work(tenant_id):
        return list(AuditEntry.objects.filter(action__startswith="impersonation.").order_by("id"))


def test_the_dashboard_is_the_members_with_a_banner_on_every_page(
    operator: Client, person: User, tenant: CreatedTenant
) -> None:
    assert begin(operator, tenant) == 302
    for page in ("/keys", "/usage", "/audit", "/jobs", "/models", "/webhooks"):
        shown = operator.get(page).content.decode()
        assert "You are acting as" in shown
        assert tenant.owner.email in shown
        assert "/stop-acting" in shown
    started = entries(tenant.tenant.id)[0]
    assert (started.action, started.actor_kind, started.actor_id) == (
        "impersonation.started",
        "operator",
        person.pk,
    )
    assert (started.note, started.subject_name) == (REASON, tenant.owner.email)
    with operator_work():
        assert LogEntry.objects.filter(user=person, object_id=str(tenant.tenant.id), change_message__contains=REASON)


@pytest.mark.parametrize("reason", ["", "because"])
def test_nobody_begins_without_a_reason(operator: Client, tenant: CreatedTenant, reason: str) -> None:
    assert begin(operator, tenant, reason=reason) == 200
    assert entries(tenant.tenant.id) == []
    assert NAME not in operator.session


def test_it_is_for_operators_who_may_change_tenants(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    assert begin(client, tenant) == 302  # The redirect leads to the operators' sign-in.
    with operator_work():
        User.objects.filter(pk=tenant.owner.pk).update(is_staff=True)
    assert begin(client, tenant) == 403
    assert entries(tenant.tenant.id) == []


def test_what_stands_in_the_session_of_who_is_no_operator_means_nothing(
    client: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    client.force_login(tenant.owner)
    session = client.session
    session[NAME] = {
        "tenant": str(other_tenant.tenant.id),
        "member": str(other_tenant.owner.pk),
        "email": other_tenant.owner.email,
        "ends_at": (timezone.now() + timedelta(minutes=5)).isoformat(),
        "may_write": True,
    }
    session.save()
    shown = client.get("/keys").content.decode()
    assert tenant.key.key.prefix in shown
    assert other_tenant.key.key.prefix not in shown


def test_nothing_is_changed_unless_it_was_asked_for(operator: Client, tenant: CreatedTenant) -> None:
    begin(operator, tenant)
    revoke = reverse("revoke-key", args=[tenant.key.key.id])
    assert operator.post(revoke).status_code == 403
    assert operator.delete("/v1/cache").status_code == 403
    assert operator.get("/keys/new").status_code == 403
    with unit_of_work(tenant.tenant.id):
        assert not AuditEntry.objects.filter(action__in=["key.revoked", "results.erased"]).exists()


def test_what_is_changed_is_the_operators(operator: Client, person: User, tenant: CreatedTenant) -> None:
    begin(operator, tenant, may_write="on")
    assert operator.delete("/v1/cache").status_code == 204
    with unit_of_work(tenant.tenant.id):
        wrote, erased = AuditEntry.objects.order_by("-id")[:2][::-1]
    assert (wrote.action, wrote.note) == ("impersonation.wrote", "DELETE /v1/cache")
    for entry in (wrote, erased):
        assert (entry.actor_kind, entry.actor_id, entry.behalf_of) == (
            "operator",
            person.pk,
            tenant.owner.email,
        )


def test_no_key_is_made_even_so(operator: Client, tenant: CreatedTenant) -> None:
    begin(operator, tenant, may_write="on")
    form = {"name": "mine", "mode": "live", "preset": "all", "lifetime": "never"}
    assert operator.post("/keys/new", form).status_code == 403


def test_it_reaches_no_other_account_of_the_member(
    operator: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    with operator_work():
        Membership.objects.create(tenant=other_tenant.tenant, user=tenant.owner, role="owner")
        begin(operator, tenant)
    assert operator.post("/tenant", {"tenant": str(other_tenant.tenant.id)}).status_code == 403
    shown = operator.get("/keys").content.decode()
    assert tenant.key.key.prefix in shown
    assert other_tenant.key.key.prefix not in shown
    assert other_tenant.tenant.name not in shown


def test_it_ends_when_it_is_stopped(operator: Client, tenant: CreatedTenant) -> None:
    begin(operator, tenant)
    assert operator.post("/stop-acting").status_code == 302
    assert NAME not in operator.session
    started, ended = entries(tenant.tenant.id)
    assert (started.action, ended.action) == ("impersonation.started", "impersonation.ended")
    assert [(one.actor_kind, one.actor_name) for one in (started, ended)] == [("operator", "")] * 2
    assert operator.get("/keys").status_code == 302  # Operators without an account get to the admin.


def test_it_ends_by_itself(operator: Client, tenant: CreatedTenant) -> None:
    begin(operator, tenant, may_write="on")
    session = operator.session
    session[NAME] = {**session[NAME], "ends_at": (timezone.now() - timedelta(seconds=1)).isoformat()}
    session.save()
    assert operator.delete("/v1/cache").status_code == 403
    assert operator.get("/keys").headers["Location"] == reverse("admin:tenants_tenant_change", args=[tenant.tenant.id])
    assert NAME not in operator.session
    assert "has ended" in entries(tenant.tenant.id)[-1].note


def test_it_ends_with_the_membership_and_with_the_account(operator: Client, tenant: CreatedTenant) -> None:
    begin(operator, tenant)
    with operator_work():
        set_tenant_state(tenant_id=tenant.tenant.id, state=Tenant.State.SUSPENDED)
    assert operator.get("/keys").status_code == 302
    assert entries(tenant.tenant.id)[-1].action == "impersonation.ended"


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/members/invite", {"email": "back@example.com", "role": "owner"}),
        ("/members/leave", {}),
        ("/webhooks/new", {"url": "https://example.com/"}),
        ("/account", {"name": "Eve"}),
        ("/account/email", {"email": "eve@example.com"}),
    ],
)
def test_nothing_that_outlasts_it_is_made_and_nothing_of_ones_own_is_changed(
    operator: Client, tenant: CreatedTenant, path: str, form: dict[str, str]
) -> None:
    begin(operator, tenant, may_write="on")
    assert operator.post(path, form).status_code == 403
    with operator_work():
        assert Membership.objects.filter(tenant=tenant.tenant).count() == 1


def test_it_ends_with_the_session_and_with_the_next(operator: Client, tenant: CreatedTenant) -> None:
    begin(operator, tenant)
    begin(operator, tenant)
    operator.post("/sign-out")
    actions = [entry.action for entry in entries(tenant.tenant.id)]
    assert actions == ["impersonation.started", "impersonation.ended"] * 2


def test_an_operators_session_can_still_be_found_and_ended(operator: Client, tenant: CreatedTenant) -> None:
    begin(operator, tenant)
    with operator_work():
        assert UserSession.objects.filter(session_key=operator.session.session_key).exists()
