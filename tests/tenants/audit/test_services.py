from datetime import timedelta
from uuid import UUID

import pytest
from django.db import Error, connections, transaction

from jobs.webhooks.services import (
    change_endpoint,
    create_endpoint,
    delete_endpoint,
    rotate_own_secret,
    rotate_secret,
)
from tenants.accounts.models import Tenant
from tenants.accounts.results import erase_results
from tenants.accounts.services import set_tenant_state
from tenants.api_keys.services import create_key, revoke_key, rotate_key
from tenants.audit.acting import KEY, Acting, acting_as
from tenants.audit.models import AuditEntry
from tenants.audit.services import record
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant


def entries(tenant_id: UUID, action: str = "") -> list[AuditEntry]:
    with unit_of_work(tenant_id):
        found = AuditEntry.objects.order_by("id")
        return list(found.filter(action=action) if action else found)


def actions(tenant_id: UUID) -> list[str]:
    return [entry.action for entry in entries(tenant_id)]


def test_a_new_tenant_its_owner_and_its_first_key_are_written_down(tenant: CreatedTenant) -> None:
    assert actions(tenant.tenant.id) == ["tenant.created", "member.added", "key.created"]
    member = entries(tenant.tenant.id, "member.added")[0]
    assert member.subject_name == tenant.owner.email
    assert member.changes == {"role": {"before": None, "after": "owner"}}
    assert member.actor_kind == "system"


def test_whoever_is_at_work_and_from_where_is_written_down(tenant: CreatedTenant) -> None:
    tenant_id, key = tenant.tenant.id, tenant.key.key
    who = Acting(KEY, key.id, str(key), address="192.0.2.7", user_agent="curl/8", request_id="req-1")
    with acting_as(lambda: who), unit_of_work(tenant_id):
        record(tenant_id=tenant_id, action="results.erased")
    entry = entries(tenant_id, "results.erased")[0]
    assert (entry.actor_kind, entry.actor_id, entry.actor_name) == ("key", key.id, str(key))
    assert (entry.address, entry.user_agent, entry.request_id) == ("192.0.2.7", "curl/8", "req-1")


def test_what_is_undone_is_not_written_down(tenant: CreatedTenant) -> None:
    class Stop(Exception):
        pass

    def make_and_stop() -> None:
        with unit_of_work(tenant.tenant.id):
            create_key(tenant_id=tenant.tenant.id, name="never")
            raise Stop

    with pytest.raises(Stop):
        make_and_stop()
    assert len(entries(tenant.tenant.id, "key.created")) == 1


def test_nothing_is_written_down_apart_from_the_transaction_of_the_action(tenant: CreatedTenant) -> None:
    with operator_work(), pytest.raises(RuntimeError, match="outside the transaction"):
        record(tenant_id=tenant.tenant.id, action="results.erased")


def test_an_action_that_has_no_words_is_a_mistake(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id), pytest.raises(ValueError, match="is no action"):
        record(tenant_id=tenant.tenant.id, action="key.eaten")


def test_a_key_is_followed_from_its_making_to_its_end(tenant: CreatedTenant) -> None:
    tenant_id = tenant.tenant.id
    with unit_of_work(tenant_id):
        made = create_key(tenant_id=tenant_id, name="import", scopes=["jobs:read"])
        rotated = rotate_key(key_id=made.key.id, overlap=timedelta(hours=1))
        assert rotated is not None
        revoke_key(key_id=made.key.id)
        revoke_key(key_id=made.key.id)
    created, turned, revoked = entries(tenant_id)[-3:]
    assert created.changes["scopes"] == {"before": None, "after": ["jobs:read"]}
    assert turned.changes["replaces"]["after"] == made.key.prefix
    assert [created.action, turned.action, revoked.action] == ["key.created", "key.rotated", "key.revoked"]
    assert revoked.subject_id == str(made.key.id)
    with unit_of_work(tenant_id):
        said = str(list(AuditEntry.objects.values()))
    assert made.text not in said
    assert made.key.secret_hash not in said


def test_webhook_endpoints_and_their_secrets_are_followed(identity: Identity) -> None:
    made = create_endpoint(identity=identity, url="https://example.com/hook")
    endpoint_id = made.endpoint.id
    change_endpoint(identity=identity, endpoint_id=endpoint_id, description="for invoices")
    change_endpoint(identity=identity, endpoint_id=endpoint_id, description="for invoices")
    rotate_secret(identity=identity, endpoint_id=endpoint_id)
    rotate_own_secret(identity=identity)
    delete_endpoint(identity=identity, endpoint_id=endpoint_id)
    found = entries(identity.tenant_id)[3:]
    assert [entry.action for entry in found] == [
        "webhook_endpoint.created",
        "webhook_endpoint.changed",
        "webhook_secret.rotated",
        "webhook_secret.rotated",
        "webhook_endpoint.deleted",
    ]
    assert found[1].changes == {"description": {"before": "", "after": "for invoices"}}
    assert made.secret not in str([entry.changes for entry in found])


def test_erased_results_are_written_down(identity: Identity) -> None:
    with unit_of_work(identity.tenant_id):
        erase_results(tenant_id=identity.tenant_id)
    assert actions(identity.tenant_id)[-1] == "results.erased"


def test_a_suspended_tenant_reads_so_once(tenant: CreatedTenant) -> None:
    tenant_id = tenant.tenant.id
    with operator_work():
        assert set_tenant_state(tenant_id=tenant_id, state=Tenant.State.SUSPENDED)
        assert not set_tenant_state(tenant_id=tenant_id, state=Tenant.State.SUSPENDED)
        assert set_tenant_state(tenant_id=tenant_id, state=Tenant.State.ACTIVE)
    assert actions(tenant_id)[-2:] == ["tenant.suspended", "tenant.activated"]


@pytest.mark.parametrize("alias", [APP, OPERATOR])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tenants_auditentry SET note = 'nothing' WHERE tenant_id = %s",
        "DELETE FROM tenants_auditentry WHERE tenant_id = %s",
        "TRUNCATE tenants_auditentry",
    ],
    ids=["update", "delete", "truncate"],
)
def test_no_role_that_serves_requests_changes_or_deletes_an_entry(
    tenant: CreatedTenant, alias: str, statement: str
) -> None:
    tenant_id = tenant.tenant.id
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SELECT set_config('app.tenant', %s, true)", [str(tenant_id)])
        with pytest.raises(Error, match="permission denied"), transaction.atomic(using=alias):
            cursor.execute(statement, [tenant_id] if "%s" in statement else None)
    assert len(entries(tenant_id)) == 3


@pytest.mark.parametrize("statement", ["UPDATE tenants_auditentry SET note = ''", "TRUNCATE tenants_auditentry"])
def test_its_owner_may_forget_what_is_old_and_change_nothing(statement: str) -> None:
    with connections["owner"].cursor() as cursor, pytest.raises(Error, match="never changed"):
        cursor.execute(statement)


def test_another_tenants_entries_are_not_there(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    with unit_of_work(other_tenant.tenant.id), connections[APP].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM tenants_auditentry WHERE tenant_id = %s", [tenant.tenant.id])
        assert cursor.fetchone() == (0,)
