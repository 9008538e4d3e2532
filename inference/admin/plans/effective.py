"""The page that shows the prices and limits in force for a tenant, and the origin of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from inference.admin.plans.example_page import models_own_prices, price_json
from tenants.accounts.models import Tenant
from tenants.admin_base.formatting import at
from tenants.billing.ledger.selectors import Standing, standing_of
from tenants.core.db.clock import database_now
from tenants.limits.fields import AccountLimits
from tenants.plans.agreed import AgreedPrices
from tenants.plans.models import Plan
from tenants.plans.prices import EVERY_MODEL, Price
from tenants.plans.selectors import subscriptions_of, terms_of
from tenants.plans.wording import number_of, used_words


@dataclass(frozen=True)
class PriceRow:
    model: str
    price: str
    cached: str
    review: str
    of: str
    since: str


@dataclass(frozen=True)
class LimitRow:
    name: str
    amount: str
    of: str


def effective_page(request: HttpRequest, tenant: Tenant, context: Mapping[str, Any]) -> HttpResponse:
    standing = standing_of(tenant.pk)
    return TemplateResponse(
        request,
        "admin/tenants/tenantprice/effective.html",
        {
            **context,
            "title": f"Prices and limits of {tenant.name}",
            "tenant": tenant,
            "plan": standing.plan,
            "prices": price_rows(terms_of(tenant.pk).prices),
            "limits": limit_rows(tenant, standing.plan),
            "included": included_rows(standing),
            "subscriptions": subscriptions_of(tenant.pk)[:50],
            "now": database_now(),
        },
    )


def included_rows(standing: Standing) -> list[str]:
    return [
        f"{used_words(row.quantity, row.meter)} of {row.model or 'all models'}, "
        f"{number_of(row.remaining, row.meter)} left"
        for row in standing.rows
    ]


def price_rows(prices: AgreedPrices) -> list[PriceRow]:
    rows = []
    for name, own in models_own_prices().items():
        agreed = prices.of_model(name, own.price, own.cached_price, own.review_price)
        since = at(agreed.valid_from) if agreed.valid_from else ""
        cached, review = price_json(agreed.cached_price), price_json(agreed.price_of_review)
        rows.append(PriceRow(name, price_json(agreed.price), cached, review, agreed.of, since))
    return [*rows, *_of_own_models(prices)]


def _of_own_models(prices: AgreedPrices) -> list[PriceRow]:
    """Return the prices of the tenant's own models, unless it has others for one of them."""
    free = Price("call", 0, 1, "EUR")
    found = [prices.of_model(EVERY_MODEL, free, free), prices.of_hosting(EVERY_MODEL)]
    return [
        PriceRow("own models", price_json(agreed.price), "", "", agreed.of, at(agreed.valid_from))
        for agreed in found
        if agreed is not None and agreed.valid_from is not None
    ]


def limit_rows(tenant: Tenant, plan: Plan | None) -> list[LimitRow]:
    rows = []
    for field in AccountLimits._meta.get_fields():
        name, of = field.name, "installation"
        found: int | None = getattr(tenant, name)
        if found is not None:
            of = "tenant"
        elif plan is not None and getattr(plan, name) is not None:
            found, of = getattr(plan, name), "plan"
        else:
            found = 1 if name == "weight" else getattr(settings, f"MAAS_{name.upper()}")
        rows.append(LimitRow(str(getattr(field, "verbose_name", name)), _amount(name, found), of))
    return rows


def _amount(name: str, found: int | None) -> str:
    if found:
        return f"{found:,}"
    if name == "own_models":
        return "none"
    return "forever" if name.startswith("keep_") else "unlimited"
