"""Tests that what a web process remembers ends within a second of the change, also without any message by Redis."""

import time

import httpx
import psycopg
import pytest
from django.db import connections

from tenants.core.db.unit_of_work import OPERATOR
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer
from tests.waiting import eventually

BUSY_S = 1.0
"""The seconds that a busy machine may add."""

_CHANGES = {
    "revoked": ("UPDATE tenants_apikey SET revoked_at = now() WHERE tenant_id = %s", 401),
    "suspended": ("UPDATE tenants_tenant SET state = 'suspended' WHERE id = %s", 403),
    "without its scopes": ("UPDATE tenants_apikey SET scopes = '{}' WHERE tenant_id = %s", 403),
    "limited": ("UPDATE tenants_tenant SET requests_per_minute = 1 WHERE id = %s", 429),
}


def by_hand(statement: str, tenant: CreatedTenant) -> None:
    with psycopg.connect(**connections[OPERATOR].get_connection_params()) as session:
        session.execute(statement.encode(), [tenant.tenant.id])


@pytest.mark.parametrize(("statement", "status"), _CHANGES.values(), ids=_CHANGES.keys())
def test_a_change_by_hand_holds_within_a_second(
    two_webs: tuple[GranianServer, GranianServer], tenant: CreatedTenant, statement: str, status: int
) -> None:
    with httpx.Client(headers={"Authorization": f"Bearer {tenant.key.text}"}, trust_env=False) as client:

        def ask() -> set[int]:
            return {client.get(f"{web.url}/v1/models").status_code for web in two_webs}

        eventually(lambda: ask() == {200}, "both processes know the key")
        time.sleep(2)  # Longer than anything is remembered without a feed.
        assert ask() == {200}
        by_hand(statement, tenant)
        changed_s = time.monotonic()
        eventually(lambda: ask() == {status}, "both processes know the change")
        assert time.monotonic() - changed_s < 1.0 + BUSY_S
