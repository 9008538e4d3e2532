"""Data that an operator sees about tenants in addition to their rows. It is looked up once for a whole page of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.http import HttpRequest

from tenants.accounts.models import Tenant
from tenants.admin_base.health import Trouble, troubles_of
from tenants.admin_base.records import BoundedChangeList
from tenants.billing.admin.spending import Spending, money_troubles, spending_of


@dataclass(frozen=True)
class Seen:
    money: Spending = field(default_factory=dict)
    troubles: Sequence[Trouble] = ()


class TenantList(BoundedChangeList):
    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        # The tenants stay in the cache of the result, from which the list is rendered.
        look_at(request, list(self.result_list))


def sees_money(request: HttpRequest) -> bool:
    return bool(request.user.has_perm("tenants.view_invoice"))


def look_at(request: HttpRequest, tenants: Sequence[Tenant]) -> None:
    ids = [tenant.pk for tenant in tenants]
    spending = spending_of(ids) if ids and sees_money(request) else {}
    of_money = money_troubles(ids, spending)
    of_others = troubles_of(ids, request.user.has_perm)
    for tenant in tenants:
        troubles = [*of_money[tenant.pk], *of_others.get(tenant.pk, ())]
        tenant.seen = Seen(spending.get(tenant.pk, {}), troubles)  # type: ignore[attr-defined]


def seen(tenant: Tenant) -> Seen:
    """Return what was looked up for a tenant. It is empty on the form that adds a tenant."""
    found: Seen = getattr(tenant, "seen", Seen())
    return found
