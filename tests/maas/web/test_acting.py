"""Tests that the account's audit log names who sent a request that changes something."""

from uuid import UUID

from django.test import Client
from django.urls import reverse

from tenants.accounts.models import Membership, User
from tenants.api.authentication import IDENTITY
from tenants.audit.models import AuditEntry
from tenants.authentication.selectors import identify_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.limits.models import ModelLimit
from tenants.onboarding.create_tenant import CreatedTenant


def newest(tenant_id: UUID) -> AuditEntry:
    with unit_of_work(tenant_id):
        return AuditEntry.objects.order_by("id").latest("id")


def test_a_person_is_named_with_the_address_they_came_from(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    key = tenant.key.key
    client.post(reverse("revoke-key", args=[key.id]), REMOTE_ADDR="::ffff:192.0.2.9", headers={"User-Agent": "Tab/1"})
    entry = newest(tenant.tenant.id)
    assert (entry.action, entry.subject_id, entry.subject_name) == ("key.revoked", str(key.id), str(key))
    assert (entry.actor_kind, entry.actor_id, entry.actor_name) == (
        "person",
        tenant.owner.id,
        tenant.owner.email,
    )
    assert (entry.address, entry.user_agent) == ("192.0.2.9", "Tab/1")


def test_a_key_is_named(client: Client, tenant: CreatedTenant) -> None:
    called_with = {IDENTITY: identify_key(tenant.key.text), "maas.request_id": "req-7"}
    answer = client.delete("/v1/cache", **called_with)  # type: ignore[arg-type]  # the edge leaves an Identity there
    assert answer.status_code == 204
    entry = newest(tenant.tenant.id)
    assert (entry.action, entry.actor_kind, entry.actor_name) == (
        "results.erased",
        "key",
        str(tenant.key.key),
    )
    assert entry.request_id == "req-7"


def test_a_person_is_named_who_calls_the_api(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    assert client.delete("/v1/cache").status_code == 204
    entry = newest(tenant.tenant.id)
    assert (entry.action, entry.actor_kind, entry.actor_name) == (
        "results.erased",
        "person",
        tenant.owner.email,
    )


def test_an_operator_is_known_and_not_named(operator: Client, person: User, tenant: CreatedTenant) -> None:
    at = reverse("admin:tenants_apikey_changelist")
    chosen = {"action": "revoke", "confirmed": "yes", "_selected_action": [str(tenant.key.key.id)]}
    assert operator.post(at, chosen).status_code == 302
    entry = newest(tenant.tenant.id)
    assert (entry.action, entry.actor_kind, entry.actor_id) == ("key.revoked", "operator", person.pk)
    assert entry.actor_name == ""
    with unit_of_work(tenant.tenant.id):
        assert AuditEntry.objects.filter(action__in=["key.revoked", "operator.acted"]).count() == 1


def test_what_an_operator_changes_on_a_tenants_page_is_told_to_it(operator: Client, tenant: CreatedTenant) -> None:
    at = reverse("admin:tenants_tenant_change", args=[tenant.tenant.id])
    page = operator.get(at)
    prefixes = [formset.formset.prefix for formset in page.context["inline_admin_formsets"]]
    limits = prefixes[1]
    sent = {"name": tenant.tenant.name, "state": "active", "weight": "3", "plan_start": "now"}
    for prefix in prefixes:
        sent |= {f"{prefix}-TOTAL_FORMS": "0", f"{prefix}-INITIAL_FORMS": "0"}
    sent |= {
        f"{limits}-TOTAL_FORMS": "1",
        f"{limits}-0-model": "embed",
        f"{limits}-0-requests_per_minute": "60",
    }
    answer = operator.post(at, sent)
    assert answer.status_code == 302, answer.context["errors"]
    with unit_of_work(tenant.tenant.id):
        changed, added = AuditEntry.objects.order_by("-id")[:2][::-1]
        assert ModelLimit.objects.get().requests_per_minute == 60
    assert (changed.action, changed.changes) == ("tenant.changed", {"weight": {"before": None, "after": 3}})
    assert (added.action, added.subject_name) == ("model_limit.added", "embed")
    assert added.changes["requests_per_minute"] == {"before": None, "after": 60}


def test_what_an_operator_suspends_on_its_page_reads_so(operator: Client, tenant: CreatedTenant) -> None:
    at = reverse("admin:tenants_tenant_change", args=[tenant.tenant.id])
    page = operator.get(at)
    sent = {"name": tenant.tenant.name, "state": "suspended", "weight": "1"}
    for formset in page.context["inline_admin_formsets"]:
        sent |= {f"{formset.formset.prefix}-TOTAL_FORMS": "0", f"{formset.formset.prefix}-INITIAL_FORMS": "0"}
    assert operator.post(at, sent).status_code == 302
    assert newest(tenant.tenant.id).action == "tenant.suspended"


def test_a_role_that_an_operator_changes_or_takes_is_told(operator: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        member = Membership.objects.get(tenant_id=tenant.tenant.id)
    assert (
        operator.post(reverse("admin:tenants_membership_change", args=[member.pk]), {"role": "viewer"}).status_code
        == 302
    )
    entry = newest(tenant.tenant.id)
    assert (entry.action, entry.subject_name) == ("member.changed", tenant.owner.email)
    assert entry.changes == {"role": {"before": "owner", "after": "viewer"}}
    assert (
        operator.post(reverse("admin:tenants_membership_delete", args=[member.pk]), {"post": "yes"}).status_code == 302
    )
    assert newest(tenant.tenant.id).action == "member.removed"
