"""Tests that the operator's list of tenants shows spending and troubles, and leads to where they are fixed."""

from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from jobs.admin.health import is_failing
from jobs.queue.settlement import Failure, fail_page
from jobs.webhooks.models import WebhookEndpoint
from tenants.accounts.models import User
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.flows.invoices import issued
from tests.jobs.conftest import Desk
from tests.tenants.billing.ledger.conftest import Purse

LIST = "admin:tenants_tenant_changelist"
THIS_MONTH = "column-this_month"


def listed(operator: Client) -> str:
    return operator.get(reverse(LIST)).content.decode()


def test_a_tenant_with_nothing_wrong_is_well_and_one_with_money_troubles_says_which(
    operator: Client, tenant: CreatedTenant
) -> None:
    assert ">OK<" in listed(operator)
    assert THIS_MONTH in listed(operator)
    issued(tenant.tenant.id, balance_micros=30_000_000, overdue=True)
    Purse(tenant.tenant.id).prepaid(0)
    page = reverse("admin:tenants_tenant_change", args=[tenant.tenant.pk])
    for said in (listed(operator), operator.get(page).content.decode()):
        assert "1 invoice overdue" in said
        assert "no EUR balance left" in said


def test_failing_jobs_and_webhooks_that_were_given_up_are_told_with_where_to_see_them(
    operator: Client, desk: Desk
) -> None:
    jobs = [desk.submit() for _ in range(5)]
    tenant_id = desk.identity.tenant_id
    with unit_of_work(tenant_id):
        WebhookEndpoint.objects.create(
            tenant_id=tenant_id, url="https://example.com/", state="disabled", disabled_reason="failing"
        )
        WebhookEndpoint.objects.create(
            tenant_id=tenant_id, url="https://example.com/b", state="disabled", disabled_reason="by_hand"
        )
    said = listed(operator)
    assert "1 webhook disabled" in said
    assert "jobs failed" not in said
    for job in jobs:
        fail_page(desk.claimed(desk.pages(job)[0]), Failure("model_run_failed", "no"), may_retry=False)
    said = listed(operator)
    assert "5 of the last 5 jobs failed" in said
    address = reverse("admin:jobs_job_changelist", query={"tenant__id__exact": tenant_id, "state__exact": "failed"})
    assert address.replace("&", "&amp;") in said
    assert operator.get(address).status_code == 200


def test_few_failures_are_no_news() -> None:
    assert [is_failing(*seen) for seen in ((4, 4), (5, 25), (5, 26), (20, 100), (0, 0))] == [
        False,
        True,
        False,
        True,
        False,
    ]


def test_who_may_not_see_money_is_told_nothing_of_it(client: Client, tenant: CreatedTenant) -> None:
    issued(tenant.tenant.id, balance_micros=30_000_000, overdue=True)
    with operator_work():
        clerk = User.objects.create_user("clerk@example.com", is_staff=True)
        clerk.user_permissions.add(Permission.objects.get(codename="view_tenant"))
    client.force_login(clerk)
    said = listed(client)
    assert tenant.tenant.name in said
    assert "overdue" not in said
    assert THIS_MONTH not in said
