"""Tests that an owner deletes an account by its name and password, that all may look on, and that it can be kept."""

import pytest
from django.test import Client
from pytest_django import Settings

from tenants.accounts.errors import InvitationGone
from tenants.accounts.invitations import read_link, token_of
from tenants.accounts.models import Invitation, Membership, Tenant, User
from tenants.accounts.services import set_tenant_state
from tenants.audit.models import AuditEntry
from tenants.authentication.selectors import identify_key, identify_member
from tenants.billing.ledger.subscriptions import subscribe
from tenants.core.db.unit_of_work import operator_work
from tenants.core.errors import TenantClosing, TenantSuspended
from tenants.core.times import rfc3339
from tenants.deletion.services import NotClosing, begin_erasing, keep, take_back
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import Subscription
from tenants.plans.selectors import current_plan
from tests.fixtures import unique
from tests.tenants.plans.selling import make_plan

PASSWORD = "correct horse"


@pytest.fixture
def owner(client: Client, tenant: CreatedTenant) -> Client:
    tenant.owner.set_password(PASSWORD)
    with operator_work():
        tenant.owner.save()
    client.force_login(tenant.owner)
    return client


def confirm(client: Client, path: str = "/tenant/delete") -> None:
    asked = client.get(path)
    assert asked.headers["Location"].startswith("/sign-in/again?next=")
    client.post(asked.headers["Location"], {"password": PASSWORD})


def delete(client: Client, tenant: CreatedTenant) -> None:
    confirm(client)
    assert client.post("/tenant/delete", {"name": tenant.tenant.name}).status_code == 302


def state(tenant: CreatedTenant) -> str:
    with operator_work():
        return Tenant.objects.get(pk=tenant.tenant.pk).state


def becomes(tenant: CreatedTenant, state: str) -> bool:
    with operator_work():
        return set_tenant_state(tenant_id=tenant.tenant.id, state=Tenant.State(state))


def another(tenant: CreatedTenant, role: str) -> Client:
    with operator_work():
        person = User.objects.create_user(f"{unique('person')}@example.com", PASSWORD)
        Membership.objects.create(tenant=tenant.tenant, user=person, role=role)
    client = Client()
    client.force_login(person)
    return client


def test_the_password_is_asked_once_more_and_the_name_has_to_be_typed(owner: Client, tenant: CreatedTenant) -> None:
    asked = owner.post("/tenant/delete", {"name": tenant.tenant.name})
    assert asked.headers["Location"].startswith("/sign-in/again")
    assert state(tenant) == "active"
    owner.session.flush()
    owner.force_login(tenant.owner)
    confirm(owner)
    wrong = owner.post("/tenant/delete", {"name": "another"})
    assert (wrong.status_code, state(tenant)) == (422, "active")
    assert tenant.tenant.name in wrong.content.decode()
    assert owner.post("/tenant/delete", {"name": tenant.tenant.name}).status_code == 302
    assert state(tenant) == "closing"


def test_keys_are_refused_with_a_code_and_the_time_at_which_it_goes(owner: Client, tenant: CreatedTenant) -> None:
    identify_key(tenant.key.text)
    delete(owner, tenant)
    with pytest.raises(TenantClosing) as refusal:
        identify_key(tenant.key.text)
    with operator_work():
        closes_at = Tenant.objects.get(pk=tenant.tenant.pk).closes_at
    assert closes_at is not None
    assert refusal.value.code == "tenant_closing"
    assert f"{closes_at:%Y-%m-%d %H:%M}" in refusal.value.detail
    assert refusal.value.extra == {"closes_at": rfc3339(closes_at)}


@pytest.mark.parametrize(("role", "link"), [("owner", "Cancel deletion"), ("viewer", "Details")])
def test_members_look_on_under_a_banner(owner: Client, tenant: CreatedTenant, role: str, link: str) -> None:
    member = another(tenant, role)
    assert "is being deleted" not in member.get("/jobs").content.decode()
    delete(owner, tenant)
    page = member.get("/jobs")
    assert page.status_code == 200
    assert "is being deleted" in page.content.decode()
    assert link in page.content.decode()


def test_nobody_changes_anything_meanwhile(owner: Client, tenant: CreatedTenant) -> None:
    delete(owner, tenant)
    before = owner.get("/keys").content.decode()
    answer = owner.post("/keys/new", {"name": "another", "scopes": ["jobs:read"]})
    assert answer.status_code == 403
    assert "is being deleted" in answer.content.decode()
    assert "another" not in owner.get("/keys").content.decode() or "another" in before


def test_the_api_answers_a_session_that_reads_and_refuses_one_that_writes(owner: Client, tenant: CreatedTenant) -> None:
    delete(owner, tenant)
    found = identify_member(tenant.owner.pk, tenant.tenant.id)
    assert found is not None
    found.require("jobs:read")
    with pytest.raises(TenantClosing):
        found.require("jobs:write")


@pytest.mark.parametrize("role", ["admin", "developer", "billing", "viewer"])
def test_only_an_owner_deletes_or_keeps(owner: Client, tenant: CreatedTenant, role: str) -> None:
    other = another(tenant, role)
    assert other.get("/tenant/delete").status_code == 403
    assert other.post("/tenant/delete", {"name": tenant.tenant.name}).status_code == 403
    delete(owner, tenant)
    assert other.post("/tenant/keep").status_code == 403
    assert "Cancel deletion" not in other.get("/tenant/delete").content.decode()
    assert state(tenant) == "closing"


def test_an_owner_keeps_it_and_all_is_as_before(owner: Client, tenant: CreatedTenant) -> None:
    delete(owner, tenant)
    assert "Cancel deletion" in owner.get("/tenant/delete").content.decode()
    assert owner.post("/tenant/keep").status_code == 302
    assert state(tenant) == "active"
    identify_key(tenant.key.text)
    assert "is being deleted" not in owner.get("/jobs").content.decode()
    with operator_work():
        entries = AuditEntry.objects.filter(tenant=tenant.tenant, action__startswith="tenant.").order_by("id")
        found = list(entries.values_list("action", "actor_name"))
    assert found[-2:] == [("tenant.closing", tenant.owner.email), ("tenant.kept", tenant.owner.email)]


def test_once_its_erasure_has_begun_nobody_keeps_it(owner: Client, tenant: CreatedTenant) -> None:
    delete(owner, tenant)
    with operator_work():
        begin_erasing(tenant_id=tenant.tenant.id)
    assert owner.post("/tenant/keep").status_code == 403
    assert "deleted" in owner.get("/jobs").content.decode()
    with operator_work(), pytest.raises(NotClosing):
        take_back(tenant_id=tenant.tenant.id)
    assert state(tenant) == "erasing"


def test_no_suspension_undoes_a_deletion(owner: Client, tenant: CreatedTenant) -> None:
    delete(owner, tenant)
    for wanted in ("active", "suspended", "active"):
        becomes(tenant, wanted)
        assert state(tenant) == "closing"


def test_an_operator_suspends_one_that_is_closing(owner: Client, tenant: CreatedTenant) -> None:
    """Otherwise a person who misuses an account could be safe for a month by requesting its deletion."""
    delete(owner, tenant)
    assert [becomes(tenant, "suspended") for _ in range(2)] == [True, False]
    assert owner.get("/jobs").status_code == 403
    assert owner.post("/tenant/keep").status_code == 403
    assert state(tenant) == "closing"
    with pytest.raises(TenantSuspended):
        identify_key(tenant.key.text)
    with operator_work():
        take_back(tenant_id=tenant.tenant.id)
    assert state(tenant) == "suspended", "who keeps it does not let its people in"
    assert becomes(tenant, "active")
    assert owner.get("/jobs").status_code == 200


def test_no_owner_keeps_what_was_suspended_meanwhile(owner: Client, tenant: CreatedTenant) -> None:
    delete(owner, tenant)
    known = identify_member(tenant.owner.pk, tenant.tenant.id)
    assert known is not None
    becomes(tenant, "suspended")
    with pytest.raises(NotClosing):
        keep(identity=known)
    assert becomes(tenant, "active")
    keep(identity=known)
    assert state(tenant) == "active"


def test_the_days_of_grace_are_the_installations(owner: Client, tenant: CreatedTenant, settings: Settings) -> None:
    settings.MAAS_DELETION_GRACE_DAYS = 3
    confirm(owner)
    assert "3 days" in owner.get("/tenant/delete").content.decode()
    owner.post("/tenant/delete", {"name": tenant.tenant.name})
    with operator_work():
        row = Tenant.objects.get(pk=tenant.tenant.pk)
        asked = AuditEntry.objects.get(tenant=tenant.tenant, action="tenant.closing").at
    assert row.closes_at is not None
    assert round((row.closes_at - asked).total_seconds() / 86400) == 3
    assert row.closing_notified_at is not None, "who has just been told needs no reminder"


def test_a_member_switches_to_another_account_meanwhile(
    owner: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    with operator_work():
        Membership.objects.create(tenant=other_tenant.tenant, user=tenant.owner, role="viewer")
    delete(owner, tenant)
    owner.post("/tenant", {"tenant": str(other_tenant.tenant.id)})
    assert "is being deleted" not in owner.get("/jobs").content.decode()


def test_who_is_the_last_owner_is_told_of_which_and_stays(owner: Client, tenant: CreatedTenant) -> None:
    confirm(owner, "/account/delete")
    page = owner.get("/account/delete").content.decode()
    assert tenant.tenant.name in page
    assert "last owner" in page
    assert owner.post("/account/delete", {"email": tenant.owner.email}).status_code == 422
    assert User.objects.filter(pk=tenant.owner.pk).exists()


def test_a_person_deletes_themselves_and_leaves_what_they_belong_to(owner: Client, tenant: CreatedTenant) -> None:
    another(tenant, "owner")
    elsewhere = Client()
    elsewhere.force_login(tenant.owner)
    confirm(owner, "/account/delete")
    assert owner.post("/account/delete", {"email": "another@example.com"}).status_code == 422
    done = owner.post("/account/delete", {"email": tenant.owner.email.upper()})
    assert "Profile deleted" in done.content.decode()
    assert not User.objects.filter(pk=tenant.owner.pk).exists()
    for client in (owner, elsewhere):
        assert client.get("/jobs").headers["Location"].startswith("/sign-in")
    with operator_work():
        assert not Membership.objects.filter(user_id=tenant.owner.pk).exists()
        entry = AuditEntry.objects.get(tenant=tenant.tenant, action="member.removed")
    assert (entry.subject_name, entry.actor_name) == (tenant.owner.email, tenant.owner.email)
    identify_key(tenant.key.text)


def test_no_invitation_outlives_whoever_sent_it(owner: Client, tenant: CreatedTenant) -> None:
    another(tenant, "owner")
    email = f"{unique('invited')}@example.com"
    with operator_work():
        sent = Invitation.objects.create(
            tenant=tenant.tenant,
            email=email,
            role="owner",
            invited_by=tenant.owner,
            expires_at="2100-01-01T00:00Z",
        )
    assert read_link(token_of(sent)).email == email
    confirm(owner, "/account/delete")
    assert owner.post("/account/delete", {"email": tenant.owner.email}).status_code == 200
    with pytest.raises(InvitationGone):
        read_link(token_of(sent))
    with operator_work():
        entry = AuditEntry.objects.get(tenant=tenant.tenant, action="invitation.revoked")
    assert (entry.subject_name, entry.actor_name) == (email, tenant.owner.email)


def test_an_account_that_is_being_deleted_needs_no_owner(owner: Client, tenant: CreatedTenant) -> None:
    delete(owner, tenant)
    assert owner.post("/account/delete", {"email": tenant.owner.email}).status_code == 200
    assert not User.objects.filter(pk=tenant.owner.pk).exists()


def test_an_operator_does_not_vanish(owner: Client, tenant: CreatedTenant) -> None:
    another(tenant, "owner")
    with operator_work():
        User.objects.filter(pk=tenant.owner.pk).update(is_staff=True)
    confirm(owner, "/account/delete")
    answer = owner.post("/account/delete", {"email": tenant.owner.email})
    assert answer.status_code == 422
    assert "operator" in answer.content.decode()


def test_who_belongs_to_nothing_can_go_too(client: Client) -> None:
    with operator_work():
        person = User.objects.create_user(f"{unique('person')}@example.com", PASSWORD)
    client.force_login(person)
    confirm(client, "/account/delete")
    assert client.post("/account/delete", {"email": person.email}).status_code == 200
    assert not User.objects.filter(pk=person.pk).exists()


def test_the_plan_goes_on_until_the_erasure_with_its_trial_and_what_it_includes(
    owner: Client, tenant: CreatedTenant
) -> None:
    """Otherwise an owner who closes and keeps the account again and again would get what it includes anew each time."""
    plan = make_plan(monthly_fee_micros=1_000_000, trial_days=14)
    subscribe(tenant_id=tenant.tenant.pk, plan=plan)
    before = _subscriptions(tenant)
    delete(owner, tenant)
    assert owner.post("/tenant/keep").status_code == 302
    assert _subscriptions(tenant) == before
    owner.post("/tenant/delete", {"name": tenant.tenant.name})
    with operator_work():
        begin_erasing(tenant_id=tenant.tenant.pk)
        assert current_plan(tenant.tenant.pk) is None


def _subscriptions(tenant: CreatedTenant) -> list[tuple[object, ...]]:
    with operator_work():
        rows = Subscription.objects.filter(tenant=tenant.tenant)
        return list(rows.order_by("starts_at").values_list("plan_id", "starts_at", "trial_ends_at"))
