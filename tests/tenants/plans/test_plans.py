"""Tests of which tenant has which plan since when, and that what has begun stays as it was."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connections
from django.db.utils import IntegrityError

from tenants.accounts.models import Tenant
from tenants.billing.ledger.subscriptions import (
    PlanArchived,
    Start,
    duplicate_plan,
    stay_with_plan,
    subscribe,
)
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant, create_tenant
from tenants.plans.agreed import included_between, prices_at
from tenants.plans.models import Plan, PlanPrice, Subscription
from tenants.plans.selectors import (
    current_plan,
    current_subscription,
    included_versions,
    price_versions,
    subscriptions_of,
    terms_of,
)
from tests.fixtures import unique
from tests.tenants.plans.selling import include, make_plan, own_price, plan_for_new_tenants, price


def plan_of(tenant: CreatedTenant) -> Plan | None:
    with unit_of_work(tenant.tenant.id):
        return current_plan(tenant.tenant.id)


def history(tenant: CreatedTenant) -> list[Subscription]:
    with unit_of_work(tenant.tenant.id):
        return list(subscriptions_of(tenant.tenant.id))


@pytest.fixture
def for_new_tenants() -> Iterator[Plan]:
    with plan_for_new_tenants() as plan:
        yield plan


def test_a_tenant_without_a_plan_has_none(tenant: CreatedTenant) -> None:
    assert plan_of(tenant) is None


def test_a_tenant_that_is_made_gets_the_plan_for_new_ones(for_new_tenants: Plan) -> None:
    made = create_tenant(name=unique("tenant"), email=f"{unique('owner')}@example.com")
    assert plan_of(made) == for_new_tenants


def test_only_one_plan_is_for_new_tenants(for_new_tenants: Plan) -> None:
    with pytest.raises(IntegrityError):
        make_plan(is_default=True)


def test_a_change_holds_at_once_and_what_was_is_kept(tenant: CreatedTenant) -> None:
    first, second = make_plan(), make_plan()
    for plan in (first, second, None):
        subscribe(tenant_id=tenant.tenant.id, plan=plan)
        assert plan_of(tenant) == plan
    assert [one.plan for one in history(tenant)] == [None, second, first]


def test_to_have_what_one_has_is_no_change(tenant: CreatedTenant) -> None:
    plan = make_plan()
    first, again = (subscribe(tenant_id=tenant.tenant.id, plan=plan) for _ in range(2))
    assert first == again
    assert len(history(tenant)) == 1


def test_a_change_can_wait_for_the_next_month_and_be_taken_back(tenant: CreatedTenant) -> None:
    now_plan, then_plan = make_plan(), make_plan()
    subscribe(tenant_id=tenant.tenant.id, plan=now_plan)
    planned = subscribe(tenant_id=tenant.tenant.id, plan=then_plan, start=Start.NEXT_MONTH)
    assert planned is not None
    assert (planned.starts_at.day, planned.starts_at.time()) == (1, datetime.min.time())
    assert planned.starts_at > datetime.now(UTC)
    assert plan_of(tenant) == now_plan
    assert stay_with_plan(tenant_id=tenant.tenant.id)
    assert not stay_with_plan(tenant_id=tenant.tenant.id)
    assert [one.plan for one in history(tenant)] == [now_plan]


def test_a_new_plan_takes_the_place_of_the_one_that_was_planned(tenant: CreatedTenant) -> None:
    plans = [make_plan() for _ in range(3)]
    subscribe(tenant_id=tenant.tenant.id, plan=plans[0], start=Start.NEXT_MONTH)
    subscribe(tenant_id=tenant.tenant.id, plan=plans[1], start=Start.NEXT_MONTH)
    assert [one.plan for one in history(tenant)] == [plans[1]]
    subscribe(tenant_id=tenant.tenant.id, plan=plans[2])
    assert [one.plan for one in history(tenant)] == [plans[2]]


def test_only_the_first_plan_begins_with_a_trial(tenant: CreatedTenant) -> None:
    first = subscribe(tenant_id=tenant.tenant.id, plan=make_plan(trial_days=14))
    second = subscribe(tenant_id=tenant.tenant.id, plan=make_plan(trial_days=14))
    assert first is not None
    assert second is not None
    assert first.trial_ends_at == first.starts_at + timedelta(days=14)
    assert second.trial_ends_at is None


def test_an_archived_plan_is_kept_and_not_sold(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    plan = make_plan()
    subscribe(tenant_id=tenant.tenant.id, plan=plan)
    with operator_work():
        Plan.objects.filter(pk=plan.pk).update(archived=True)
    plan.archived = True
    assert plan_of(tenant) == plan
    with pytest.raises(PlanArchived):
        subscribe(tenant_id=other_tenant.tenant.id, plan=plan)


def test_two_changes_at_once_come_one_after_the_other(tenant: CreatedTenant) -> None:
    plans = [make_plan() for _ in range(2)]

    def change(plan: Plan) -> None:
        for start in (Start.NEXT_MONTH, Start.NOW):
            subscribe(tenant_id=tenant.tenant.id, plan=plan, start=start)
        connections.close_all()

    with ThreadPoolExecutor() as pool:
        list(pool.map(change, plans))
    assert {one.plan for one in history(tenant)} == set(plans)


def test_what_has_begun_cannot_be_changed_taken_away_or_added_to(tenant: CreatedTenant) -> None:
    plan = make_plan(monthly_fee_micros=5)
    begun: list[Any] = [price(plan, 7), include(plan, 3), own_price(tenant.tenant.id, 4)]
    subscribe(tenant_id=tenant.tenant.id, plan=plan)
    with operator_work():
        begun.append(current_subscription(tenant.tenant.id))
        for row in begun:
            rows = type(row)._default_manager.filter(pk=row.pk)
            with pytest.raises(IntegrityError, match="cannot be changed"):
                rows.update(id=row.pk)
            with pytest.raises(IntegrityError, match="cannot be changed"):
                rows.delete()
        for fixed in ({"monthly_fee_micros": 6}, {"currency": "USD"}):
            with pytest.raises(IntegrityError, match="has been sold"):
                Plan.objects.filter(pk=plan.pk).update(**fixed)
        Plan.objects.filter(pk=plan.pk).update(name="Another name")
    with pytest.raises(IntegrityError, match="which is over"):
        price(plan, 8, begins=datetime.now(UTC) - timedelta(minutes=5))


def test_what_has_not_begun_can_be_changed_and_taken_away() -> None:
    plan = make_plan()
    planned = price(plan, 8, begins=datetime.now(UTC) + timedelta(days=1))
    with operator_work():
        PlanPrice.objects.filter(pk=planned.pk).update(amount_micros=9)
        with pytest.raises(IntegrityError, match="which is over"):
            PlanPrice.objects.filter(pk=planned.pk).update(valid_from=datetime(2026, 1, 1, tzinfo=UTC))
        assert planned.delete()[0] == 1


@pytest.mark.parametrize("table", ["plan", "planprice", "planincluded", "tenantprice", "subscription", "chosenlimits"])
def test_requests_of_tenants_write_nothing_of_it(tenant: CreatedTenant, table: str) -> None:
    for statement in (f"DELETE FROM tenants_{table}", f"UPDATE tenants_{table} SET id = id"):
        with (
            pytest.raises(DatabaseError, match=r"permission denied|cannot"),
            unit_of_work(tenant.tenant.id),
        ):
            connections["default"].cursor().execute(statement)


def test_another_tenants_plan_and_prices_are_not_seen(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    plan = make_plan(requests_per_minute=5)
    price(plan, 7)
    subscribe(tenant_id=tenant.tenant.id, plan=plan)
    own_price(tenant.tenant.id, 4)
    with unit_of_work(other_tenant.tenant.id):
        assert current_plan(tenant.tenant.id) is None
        terms = terms_of(tenant.tenant.id)
    assert (terms.plan, dict(terms.prices.held)) == ({}, {})


def test_the_database_and_the_decision_find_the_same_prices(tenant: CreatedTenant) -> None:
    plan = make_plan(currency="USD")
    soon = datetime.now(UTC) + timedelta(days=1)
    price(plan, 7, per=1000)
    price(plan, 6, model="ocr", cached_micros=1)
    price(plan, 5, model="ocr", begins=soon)
    own_price(tenant.tenant.id, 4, model="embed")
    own_price(tenant.tenant.id, None, model="embed")
    own_price(tenant.tenant.id, 3, meter="page")
    subscribe(tenant_id=tenant.tenant.id, plan=plan)
    with unit_of_work(tenant.tenant.id):
        found, versions = terms_of(tenant.tenant.id).prices, price_versions(plan, tenant.tenant.id)
        assert found == prices_at(versions, database_now())
    assert found.held["plan", "", "call"].price.currency == "USD"
    assert len(found.held) == 3
    assert prices_at(versions, soon).held["plan", "ocr", "call"].price.amount_micros == 5


def test_a_duplicate_has_what_holds_and_what_is_to_hold_and_is_sold_to_nobody() -> None:
    plan = make_plan(monthly_fee_micros=5, weight=3)
    soon = datetime.now(UTC) + timedelta(days=1)
    price(plan, 7)
    price(plan, 8)
    price(plan, 9, begins=soon)
    include(plan, 3, model="ocr")
    copy, again = duplicate_plan(plan=plan), duplicate_plan(plan=plan)
    assert len({plan.code, copy.code, again.code}) == 3
    assert (copy.monthly_fee_micros, copy.weight, copy.is_default) == (5, 3, False)
    with operator_work():
        assert sorted(one.amount_micros or 0 for one in price_versions(copy)) == [8, 9]
        now = database_now()
        assert [one.quantity for one in included_between(included_versions(copy), now, now)] == [3]
        Plan.objects.filter(pk=copy.pk).update(monthly_fee_micros=6)
        assert Tenant.objects.filter(chosen_limits__plan=copy).count() == 0
