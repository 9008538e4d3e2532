"""Tests that every change of what processes remember is named once, after its commit and however it was made."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import connections
from django.utils import timezone

from inference.registry.models import ModelVersion
from tenants.api_keys.models import ApiKey
from tenants.authentication.selectors import identify_key
from tenants.core.changes.log import Change, forget_old_changes, read_changes
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import TenantPrice


@contextmanager
def another_session(alias: str = OPERATOR) -> Iterator["psycopg.Connection[Any]"]:
    """Yield a session with the rights of an operator at a psql prompt."""
    with psycopg.connect(**connections[alias].get_connection_params()) as session:
        yield session


class Reader:
    def __init__(self) -> None:
        self._snapshot = read_changes(None).snapshot

    def read(self) -> list[Change]:
        reading = read_changes(self._snapshot)
        self._snapshot = reading.snapshot
        return list(reading.changes)


def of(tenant: CreatedTenant) -> Change:
    return Change("tenant", str(tenant.tenant.id))


_BY_HAND = {
    "suspended": "UPDATE tenants_tenant SET state = 'suspended' WHERE id = %(tenant)s",
    "erased results": "UPDATE tenants_tenant SET results_generation = results_generation + 1 WHERE id = %(tenant)s",
    "limit": "UPDATE tenants_tenant SET requests_per_minute = 5 WHERE id = %(tenant)s",
    "revoked": "UPDATE tenants_apikey SET revoked_at = now() WHERE tenant_id = %(tenant)s",
    "deleted key": "DELETE FROM tenants_apikey WHERE tenant_id = %(tenant)s",
    "scopes": "UPDATE tenants_apikey SET scopes = '{}' WHERE tenant_id = %(tenant)s",
}


@pytest.mark.parametrize("statement", _BY_HAND.values(), ids=_BY_HAND.keys())
def test_a_change_by_hand_is_named(tenant: CreatedTenant, statement: str) -> None:
    reader = Reader()
    with another_session() as session:
        session.execute(statement.encode(), {"tenant": tenant.tenant.id})
        assert of(tenant) not in reader.read()
    assert of(tenant) in reader.read()
    assert of(tenant) not in reader.read()


def test_the_last_use_of_a_key_is_no_change(tenant: CreatedTenant) -> None:
    reader = Reader()
    with unit_of_work(tenant.tenant.id):
        ApiKey.objects.update(last_used_at=timezone.now(), last_used_from="192.0.2.1")
    assert of(tenant) not in reader.read()


def test_what_was_rolled_back_is_not_named(tenant: CreatedTenant) -> None:
    reader = Reader()
    with another_session() as session:
        session.execute(_BY_HAND["suspended"].encode(), {"tenant": tenant.tenant.id})
        session.rollback()
    assert of(tenant) not in reader.read()


def test_a_long_transaction_delays_no_other_and_is_not_missed(
    tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    reader = Reader()
    with another_session() as slow:
        slow.execute(_BY_HAND["limit"].encode(), {"tenant": tenant.tenant.id})
        with another_session() as quick:
            quick.execute(_BY_HAND["limit"].encode(), {"tenant": other_tenant.tenant.id})
        seen = reader.read()
        assert of(other_tenant) in seen
        assert of(tenant) not in seen
        assert of(other_tenant) not in reader.read()
    assert of(tenant) in reader.read()


def test_a_change_of_the_installation_s_models_is_for_all_and_that_of_a_price_for_its_account(
    tenant: CreatedTenant, version: ModelVersion
) -> None:
    reader = Reader()
    model = version.served_model
    model.price_micros += 1
    with operator_work():
        model.save()
    assert Change("model", "") in reader.read()
    with operator_work():
        price = {
            "meter": "page",
            "amount_micros": 7,
            "per": 1,
            "currency": "EUR",
            "valid_from": timezone.now(),
        }
        TenantPrice.objects.create(tenant_id=tenant.tenant.id, **price)
    assert of(tenant) in reader.read()


def test_old_changes_are_forgotten(tenant: CreatedTenant) -> None:
    with another_session() as session:
        session.execute(_BY_HAND["limit"].encode(), {"tenant": tenant.tenant.id})
    with another_session("owner") as session:
        named = b"FROM tenants_change WHERE ref = %s"
        ref = [str(tenant.tenant.id)]
        session.execute(b"UPDATE tenants_change SET at = at - interval '1 hour' WHERE ref = %s", ref)
        session.commit()
        forget_old_changes()
        assert session.execute(b"SELECT count(*) " + named, ref).fetchone() == (0,)


def test_an_identity_lasts_until_its_key_expires_or_a_price_begins(tenant: CreatedTenant) -> None:
    # Prices of plans count for every tenant, so those of other tests may begin sooner.
    before_s = identify_key(tenant.key.text).lasts_s
    with operator_work():
        price = {"meter": "page", "amount_micros": 7, "per": 1, "currency": "EUR"}
        begins = timezone.now() + timedelta(seconds=600)
        TenantPrice.objects.create(tenant_id=tenant.tenant.id, valid_from=begins, **price)
    assert identify_key(tenant.key.text).lasts_s <= min(600, before_s)
    with unit_of_work(tenant.tenant.id):
        ApiKey.objects.update(expires_at=timezone.now() + timedelta(seconds=60))
    assert 0 < identify_key(tenant.key.text).lasts_s <= 60
