"""Test that a customer with a plan or a price of its own pays it for jobs, retries and lines of batches, and is shown
it.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from inference.registry.models import ModelVersion
from jobs.queue.settlement import Failure, fail_page
from jobs.queue.waiting_queues import waiting_lines
from jobs.submission.allowance import max_unfinished_pages, unfinished_jobs
from jobs.submission.retries import retry_job
from tenants.accounts.models import Tenant
from tenants.api.authentication import IDENTITY
from tenants.authentication.selectors import acting_for, identify_key, identify_member
from tenants.billing.ledger.subscriptions import subscribe
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.limits.quota.capacity import max_stored_bytes
from tenants.limits.quota.wording import MB
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import Plan
from tenants.plans.retention import retention_for
from tests.jobs.batches.desk import BatchDesk, no_batches
from tests.jobs.conftest import Desk
from tests.tenants.plans.selling import make_plan, own_price, price


@pytest.fixture
def plan(tenant: CreatedTenant) -> Plan:
    plan = make_plan()
    price(plan, 700, cached_micros=70)
    subscribe(tenant_id=tenant.tenant.id, plan=plan)
    return plan


def desk_of(tenant: CreatedTenant, version: ModelVersion) -> Desk:
    return Desk(identify_key(tenant.key.text), version)


def test_a_job_keeps_the_price_of_its_plan_and_a_retry_of_it_does_too(
    tenant: CreatedTenant, plan: Plan, version: ModelVersion
) -> None:
    desk = desk_of(tenant, version)
    job = desk.submit()
    own_price(tenant.tenant.id, 900)
    fail_page(desk.claimed(desk.pages(job)[0]), Failure("model_run_failed", "no"), may_retry=False)
    again = retry_job(identity=identify_key(tenant.key.text), job_id=job.id)
    assert [one.price["amount_micros"] for one in (job, again)] == [700, 700]
    assert again.cached_price is not None
    assert again.cached_price["amount_micros"] == 70
    desk.finish(desk.pages(again)[0])
    assert desk.again(again).cost_micros == 700


def test_the_next_job_pays_a_changed_price(tenant: CreatedTenant, plan: Plan, version: ModelVersion) -> None:
    name = version.served_model.name
    paid = [desk_of(tenant, version).submit().price["amount_micros"]]
    for change in (
        lambda: price(plan, 600, model=name),
        lambda: own_price(tenant.tenant.id, 500),
        lambda: own_price(tenant.tenant.id, 400, model=name, currency="USD"),
        lambda: own_price(tenant.tenant.id, None, model=name),
        lambda: subscribe(tenant_id=tenant.tenant.id, plan=None),
        lambda: own_price(tenant.tenant.id, None),
    ):
        change()
        paid.append(desk_of(tenant, version).submit().price["amount_micros"])
    assert paid == [700, 600, 500, 400, 500, 500, 1500]


def test_another_tenant_pays_what_the_model_costs(
    plan: Plan, other_tenant: CreatedTenant, version: ModelVersion
) -> None:
    assert desk_of(other_tenant, version).submit().price["amount_micros"] == 1500


def test_members_and_work_without_a_caller_pay_the_same(
    tenant: CreatedTenant, plan: Plan, version: ModelVersion
) -> None:
    member = identify_member(tenant.owner.id)
    assert member is not None
    acting = acting_for(tenant.tenant.id, key_id=None, livemode=True, scopes=("jobs:write",))
    for identity in (member, acting):
        assert Desk(identity, version).submit().price["amount_micros"] == 700


def test_the_lines_of_a_batch_pay_the_price_of_their_check(
    tenant: CreatedTenant, plan: Plan, version: ModelVersion
) -> None:
    no_batches()
    batch = BatchDesk(identify_key(tenant.key.text), version).checked()
    assert batch.price is not None
    assert batch.cached_price is not None
    assert (batch.price["amount_micros"], batch.cached_price["amount_micros"]) == (700, 70)


def test_callers_are_told_their_own_prices(
    tenant: CreatedTenant, other_identity: Identity, plan: Plan, version: ModelVersion
) -> None:
    name = version.served_model.name
    mine = _get(f"/v1/models/{name}", identify_key(tenant.key.text))
    listed = _get("/v1/models", identify_key(tenant.key.text))["data"]
    assert (mine["price"]["amount_micros"], mine["cached_price"]["amount_micros"]) == (700, 70)
    assert next(one for one in listed if one["id"] == name)["price"] == mine["price"]
    assert _get(f"/v1/models/{name}", other_identity)["price"]["amount_micros"] == 1500


def _get(address: str, identity: Identity) -> dict[str, Any]:
    told: dict[str, Any] = Client().get(address, **{IDENTITY: identity}).json()  # type: ignore[arg-type]
    return told


def test_the_dashboard_shows_a_members_own_prices(
    client: Client, tenant: CreatedTenant, plan: Plan, make_version: Callable[..., ModelVersion]
) -> None:
    version = make_version(cache_ttl_s=60)
    client.force_login(tenant.owner)
    for address in ("/models", f"/models/{version.served_model.name}"):
        page = client.get(address, follow=True).content.decode()
        assert "0.0007 € per call" in page, address


LIMITS = {
    "requests_per_minute": 7,
    "unfinished_jobs": 5,
    "unfinished_pages": 11,
    "pages_at_once": 3,
    "weight": 4,
    "keep_results_days": 9,
    "storage_mb": 6,
}


def test_a_plans_limits_stand_between_the_installations_and_the_tenants_own(
    tenant: CreatedTenant, version: ModelVersion
) -> None:
    subscribe(tenant_id=tenant.tenant.id, plan=make_plan(**LIMITS))
    assert _limits(tenant, version) == (7, 5, 11, 3, 4, 9, 6 * MB)
    with operator_work():
        Tenant.objects.filter(pk=tenant.tenant.pk).update(
            requests_per_minute=0,
            unfinished_jobs=50,
            unfinished_pages=0,
            pages_at_once=30,
            weight=1,
            keep_results_days=0,
            storage_mb=0,
        )
    assert _limits(tenant, version) == (None, 50, None, 30, 1, 0, None)


def _limits(tenant: CreatedTenant, version: ModelVersion) -> tuple[float | None, ...]:
    identity = identify_key(tenant.key.text)
    desk = Desk(identity, version)
    desk.sql("UPDATE jobs_page SET renotify_at = NULL WHERE job_id = %s", desk.submit().id)
    with operator_work():
        lines = waiting_lines(version.pk, {}).lines
    (line,) = (one for one in lines if one.tenant == tenant.tenant.pk)
    with unit_of_work(identity.tenant_id):
        assert unfinished_jobs(100) >= 1
        stored = max_stored_bytes(identity.tenant_id)
        pages, kept = max_unfinished_pages(identity.tenant_id), retention_for(identity.tenant_id)
    requests = identity.rates.requests[0].amount if identity.rates.requests else None
    return requests, identity.limits.unfinished_jobs, pages, line.room, line.weight, kept.results_days, stored


def test_a_price_that_is_to_hold_later_is_not_paid_yet(
    tenant: CreatedTenant, plan: Plan, version: ModelVersion
) -> None:
    with operator_work():
        soon = database_now() + timedelta(hours=1)
    price(plan, 1, begins=soon)
    assert desk_of(tenant, version).submit().price["amount_micros"] == 700
