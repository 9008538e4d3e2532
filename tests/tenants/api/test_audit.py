from collections.abc import Callable

import pytest
from django.test import Client

from tenants.api.authentication import IDENTITY
from tenants.api_keys.services import create_key
from tenants.authentication.selectors import identify_key
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant

Ask = Callable[..., "tuple[int, dict[str, object]]"]


@pytest.fixture
def ask(client: Client, tenant: CreatedTenant) -> Ask:
    with unit_of_work(tenant.tenant.id):
        made = create_key(tenant_id=tenant.tenant.id, name="auditor", scopes=["audit:read"])
    identity = identify_key(made.text)

    def get(**asked: str) -> tuple[int, dict[str, object]]:
        answer = client.get("/v1/audit", asked, **{IDENTITY: identity})  # type: ignore[arg-type]
        return answer.status_code, answer.json()

    return get


def test_entries_are_read_on_from_the_last_one_seen(ask: Ask) -> None:
    status, first = ask(limit="3")
    assert status == 200
    assert [entry["action"] for entry in first["data"]] == ["key.created", "key.created", "member.added"]  # type: ignore[attr-defined]
    _, second = ask(limit="3", cursor=str(first["next_cursor"]))
    assert [entry["action"] for entry in second["data"]] == ["tenant.created"]  # type: ignore[attr-defined]
    assert second["has_more"] is False


def test_an_entry_tells_who_what_and_the_values(ask: Ask) -> None:
    _, answer = ask(kind="key", limit="1")
    entry = answer["data"][0]  # type: ignore[index]
    assert entry["object"] == "audit_entry"
    assert entry["actor"] == {"kind": "system", "id": None, "name": "", "on_behalf_of": ""}
    assert entry["subject"]["kind"] == "key"
    assert entry["changes"]["scopes"] == {"before": None, "after": ["audit:read"]}


@pytest.mark.parametrize(
    "asked",
    [
        {"kind": "x"},
        {"actor": "me"},
        {"actor": ""},
        {"since": "soon"},
        {"since": ""},
        {"until": "20270131"},
        {"what": "1"},
        {"cursor": "x"},
    ],
)
def test_what_is_misspelt_is_refused(ask: Ask, asked: dict[str, str]) -> None:
    status, answer = ask(**asked)
    assert status == 400, answer


def test_a_key_without_the_scope_is_refused(client: Client, working_identity: Identity) -> None:
    answer = client.get("/v1/audit", **{IDENTITY: working_identity})  # type: ignore[arg-type]
    assert answer.status_code == 403
    assert "audit:read" in answer.json()["detail"]
