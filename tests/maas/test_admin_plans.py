"""Tests that operators sell plans: dated prices, an example month, the plan of each tenant, all of it recorded."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from inference.registry.models import ModelVersion
from tenants.accounts.models import User
from tenants.authentication.selectors import identify_key
from tenants.billing.ledger.subscriptions import subscribe
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import Plan, PlanPrice, TenantPrice
from tenants.plans.selectors import current_plan, subscriptions_of
from tests.fixtures import unique
from tests.maas.conftest import logged
from tests.maas.test_admin_limits import send
from tests.tenants.plans.selling import archive_all_plans, include, make_plan, own_price, price


@pytest.fixture(autouse=True, scope="module")
def _no_other_plans() -> None:
    archive_all_plans()


def page(plan: Plan | None) -> str:
    return reverse("admin:tenants_plan_change", args=[plan.pk]) if plan else reverse("admin:tenants_plan_add")


def save(operator: Client, plan: Plan | None, **fields: str) -> Any:
    """Send the whole form as a browser does, with space for one price or more."""
    rows = 1 + max([int(name.split("-")[1]) for name in fields if name.startswith("prices-")], default=0)
    shown = operator.get(page(plan))
    form: dict[str, Any] = {"name": "N", "code": unique("code"), "currency": "EUR", "trial_days": "0"}
    form |= {"monthly_fee_micros": "0", "trial_credit_micros": "0"}
    for inline in shown.context["inline_admin_formsets"]:
        formset = inline.formset
        kept = formset.initial_form_count()
        form[f"{formset.prefix}-{kept}-per"] = "1"
        total = max(kept + 1, rows if formset.prefix == "prices" else 0)
        form |= {f"{formset.prefix}-TOTAL_FORMS": str(total), f"{formset.prefix}-INITIAL_FORMS": str(kept)}
        form |= {f"{formset.prefix}-{row}-id": str(one.instance.pk) for row, one in enumerate(formset.initial_forms)}
    if plan is not None:
        form |= {"name": plan.name, "monthly_fee_micros": str(plan.monthly_fee_micros / 1_000_000)}
    return operator.post(page(plan), form | fields)


def test_a_plan_is_made_with_its_prices_and_included_units(operator: Client, version: ModelVersion) -> None:
    code, model = unique("code"), version.served_model.name
    answer = save(
        operator,
        None,
        code=code,
        monthly_fee_micros="29.5",
        requests_per_minute="60",
        **{"prices-0-model": model, "prices-0-meter": "call", "prices-0-amount_micros": "0.0015"},
        **{"prices-0-per": "10", "prices-0-cached_micros": "", "prices-0-review_micros": "0"},
        **{"included-0-model": "", "included-0-meter": "call", "included-0-quantity": "1000"},
    )
    assert answer.status_code == 302, answer.context["errors"]
    with operator_work():
        plan = Plan.objects.get(code=code)
        (its,), (included,) = plan.prices.all(), plan.included.all()
    assert (plan.monthly_fee_micros, plan.requests_per_minute) == (29_500_000, 60)
    assert (its.amount_micros, its.per, its.cached_micros, its.model) == (1500, 10, None, model)
    assert its.review_micros == 0
    assert included.quantity == 1000


def test_a_price_that_has_begun_stays_and_one_that_follows_is_added(operator: Client) -> None:
    plan = make_plan()
    begun = price(plan, 7, meter="page")
    answer = save(
        operator,
        plan,
        **{"prices-0-amount_micros": "9", "prices-0-DELETE": "on"},
        **{"prices-1-meter": "page", "prices-1-amount_micros": "0.000008", "prices-1-per": "1"},
    )
    assert answer.status_code == 302, answer.context["errors"]
    assert f'value="{begun.valid_from:%Y-%m-%dT%H:%M}"' in operator.get(page(plan)).content.decode()
    with operator_work():
        prices = PlanPrice.objects.filter(plan=plan).order_by("valid_from")
        assert [one.amount_micros for one in prices] == [7, 8]
        assert prices[0].pk == begun.pk
    assert "0.000008 EUR for 1" in logged(plan.pk)


def test_prices_that_make_no_sense_are_refused_beside_their_fields(operator: Client, version: ModelVersion) -> None:
    wrong = {
        "is charged per call": {"meter": "page", "model": version.served_model.name},
        "This time is in the past": {"meter": "call", "valid_from": "2026-01-01T00:00"},
        "6 decimal places": {"meter": "call", "amount_micros": "0.0000001"},
        "greater than or equal to 0": {"meter": "call", "amount_micros": "-1"},
        "greater than or equal to 1": {"meter": "call", "per": "0"},
    }
    given = {
        f"prices-{row}-{name}": value
        for row, fields in enumerate(wrong.values())
        for name, value in {"amount_micros": "1", "per": "1", **fields}.items()
    }
    answer = save(operator, make_plan(), **given)
    assert answer.status_code == 200
    rows = next(one.formset for one in answer.context["inline_admin_formsets"] if one.formset.prefix == "prices")
    assert len(rows.forms) == len(wrong)
    for said, row in zip(wrong, rows.forms, strict=True):
        assert said in str(row.errors)
        assert said in answer.content.decode()


def test_the_fee_of_a_plan_that_was_sold_stays(operator: Client, tenant: CreatedTenant) -> None:
    plan = make_plan(monthly_fee_micros=5_000_000)
    subscribe(tenant_id=tenant.tenant.id, plan=plan)
    assert save(operator, plan, monthly_fee_micros="6", currency="USD", name="Renamed").status_code == 302
    with operator_work():
        kept = Plan.objects.get(pk=plan.pk)
    assert (kept.monthly_fee_micros, kept.currency, kept.name) == (5_000_000, "EUR", "Renamed")


def example(operator: Client, plan: Plan, **asked: str) -> Any:
    month = (datetime.now(UTC) + timedelta(days=32)).strftime("%Y-%m")
    url = reverse("admin:tenants_plan_example", args=[plan.pk])
    return operator.get(url, {"month": month, **asked})


def test_an_example_month_is_reckoned_line_by_line_and_against_another_plan(
    operator: Client, version: ModelVersion
) -> None:
    plan, other = make_plan(monthly_fee_micros=29_000_000), make_plan()
    price(plan, 1_234, cached_micros=100)
    include(plan, 1_000)
    form = example(operator, plan).context["form"]
    (place,) = (at for at, (name, *_) in enumerate(form.rows) if name == version.served_model.name)
    asked = {f"quantity-{place}": "10000", "against": str(other.pk)}
    mine, others = example(operator, plan, **asked).context["bills"]
    told = [(one.quantity, one.included, one.over, one.amount, one.to_pay) for one in mine.lines]
    assert told == [("10,000", "1,000", "9,000", "11.106 EUR", "11.11 EUR")]
    assert (mine.fee, mine.totals) == ("29.00 EUR", ("40.11 EUR",))
    assert (others.plan, others.totals) == (other.name, ("15.00 EUR",))
    (mine,) = example(operator, plan, **asked | {f"cached-{place}": "20", "against": ""}).context["bills"]
    assert [(one.what.endswith("cache hits"), one.quantity) for one in mine.lines] == [
        (False, "8,000"),
        (True, "2,000"),
    ]
    assert sum(int(one.included) for one in mine.lines) == 1_000


def test_a_months_example_says_what_is_wrong_with_it(operator: Client) -> None:
    answer = example(operator, make_plan(), **{"quantity-0": "-1"})
    assert answer.context["bills"] == []
    assert "greater than or equal to 0" in answer.content.decode()
    assert operator.get(reverse("admin:tenants_plan_example", args=[unused()])).status_code == 404


def unused() -> str:
    return "01a1f8a0-0000-7000-8000-000000000000"


def test_a_tenants_plan_is_changed_on_its_page_and_the_change_is_on_record(
    operator: Client, tenant: CreatedTenant
) -> None:
    first, second = make_plan(), make_plan()
    assert send(operator, tenant, plan=str(first.pk)).status_code == 302
    assert f"Plan changed from none to {first.name}, immediately." in logged(tenant.tenant.pk)
    planned = {"plan": str(second.pk), "plan_start": "next month"}
    assert send(operator, tenant, **planned).status_code == 302
    with operator_work():
        assert current_plan(tenant.tenant.id) == first
        assert [one.plan for one in subscriptions_of(tenant.tenant.id)] == [second, first]
    assert send(operator, tenant, plan=str(first.pk), plan_start="next month").status_code == 302
    with operator_work():
        assert [one.plan for one in subscriptions_of(tenant.tenant.id)] == [first]


def test_the_page_of_a_tenants_prices_says_where_each_comes_from(
    operator: Client, tenant: CreatedTenant, version: ModelVersion
) -> None:
    plan = make_plan(requests_per_minute=77)
    price(plan, 700)
    subscribe(tenant_id=tenant.tenant.id, plan=plan)
    context = operator.get(reverse("admin:tenants_tenantprice_of", args=[tenant.tenant.pk])).context
    rows = {row.model: row for row in context["prices"]}
    assert (rows[version.served_model.name].price, rows[version.served_model.name].of) == (
        "0.0007 EUR per call",
        "plan",
    )
    assert ("77", "plan") in [(row.amount, row.of) for row in context["limits"]]
    own_price(tenant.tenant.id, 500)
    context = operator.get(reverse("admin:tenants_tenantprice_of", args=[tenant.tenant.pk])).context
    assert {row.of for row in context["prices"] if row.model == version.served_model.name} == {"tenant"}


def test_a_price_for_one_tenant_is_added_from_the_page_of_its_prices(
    operator: Client, tenant: CreatedTenant, version: ModelVersion
) -> None:
    add = reverse("admin:tenants_tenantprice_add")
    assert operator.get(add).status_code == 403
    form = {"model": version.served_model.name, "meter": "call", "amount_micros": "0.0005", "per": "1"}
    address = f"{add}?tenant={tenant.tenant.pk}"
    assert operator.get(address).status_code == 200
    answer = operator.post(address, {**form, "currency": "EUR", "valid_from": ""})
    assert answer.status_code == 302, answer.context["errors"]
    with operator_work():
        (made,) = TenantPrice.objects.filter(tenant=tenant.tenant)
    assert made.amount_micros == 500
    prices = identify_key(tenant.key.text).prices
    own = version.served_model
    assert prices.of_model(own.name, own.price, own.cached_price).price.amount_micros == 500


def test_only_who_may_see_plans_and_prices_sees_these_pages(client: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        person = User.objects.create_user(f"{unique('limited')}@example.com", is_staff=True)
    client.force_login(person)
    pages = {
        reverse("admin:tenants_plan_example", args=[make_plan().pk]): ("view_plan",),
        reverse("admin:tenants_tenantprice_of", args=[tenant.tenant.pk]): ("view_tenantprice", "view_tenant"),
    }
    for address, needed in pages.items():
        for name in needed:
            assert client.get(address).status_code == 403
            with operator_work():
                person.user_permissions.add(Permission.objects.get(codename=name))
        assert client.get(address).status_code == 200


def test_members_are_not_let_in(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    plan = make_plan()
    for address in (
        page(plan),
        reverse("admin:tenants_plan_example", args=[plan.pk]),
        reverse("admin:tenants_tenantprice_of", args=[tenant.tenant.pk]),
    ):
        assert client.get(address).status_code == 302
