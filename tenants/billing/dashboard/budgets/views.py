"""Views of budgets: the list with the amounts used, setting a budget, and removing one."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from tenants.api_keys.selectors import names_of_keys
from tenants.billing.dashboard.budgets.forms import BudgetForm
from tenants.billing.dashboard.budgets.rows import budget_rows
from tenants.billing.ledger.errors import InvalidTerms
from tenants.billing.ledger.models import Budget, Wallet
from tenants.billing.ledger.months import first_of_this_month
from tenants.billing.ledger.own_budgets import BudgetRefused, remove_own_budget, set_own_budget
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity
from tenants.plans.selectors import current_plan

CURRENCY = "EUR"


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def budgets(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("billing:read")
    form = _form(request, identity)
    if request.method == "POST":
        identity.require("billing:write")
        if form.is_valid() and _set(form, identity):
            messages.success(request, _("Budget set. It takes effect within a second."))
            return redirect("budgets")
    with unit_of_work(identity.tenant_id):
        found = list(Budget.objects.all())
        names = names_of_keys([str(one.api_key_id) for one in found if one.api_key_id])
        rows = budget_rows(
            found, {UUID(str(key)): name for key, name in names.items()}, first_of_this_month()
        )
    context = {"rows": rows, "form": form, "may_write": "billing:write" in identity.scopes}
    return render(request, "tenants/budgets/budgets.html", context, status=422 if form.errors else 200)


@require_POST
@members_only
def remove_budget(request: HttpRequest, identity: Identity, budget_id: str) -> HttpResponse:
    identity.require("billing:write")
    try:
        found = remove_own_budget(tenant_id=identity.tenant_id, budget_id=UUID(budget_id))
    except ValueError:
        found = False
    if not found:
        raise Http404
    messages.success(request, _("Budget removed."))
    return redirect("budgets")


def _form(request: HttpRequest, identity: Identity) -> BudgetForm:
    with unit_of_work(identity.tenant_id):
        named = names_of_keys([])
        currencies = list(Wallet.objects.order_by("opened_at").values_list("currency", flat=True))
    with operator_work():
        plan = current_plan(identity.tenant_id)
    keys = sorted(((key, f"Key {name}") for key, name in named.items()), key=lambda key: key[1].casefold())
    # Only currencies that concern the account are offered, because a budget opens a wallet and a wallet stays.
    known = dict.fromkeys(
        [*currencies, *([plan.currency] if plan else []), *([] if currencies or plan else [CURRENCY])]
    )
    return BudgetForm(request.POST or None, keys=keys, currencies=list(known), label_suffix="")


def _set(form: BudgetForm, identity: Identity) -> bool:
    try:
        set_own_budget(
            tenant_id=identity.tenant_id,
            currency=form.cleaned_data["currency"],
            monthly_micros=form.monthly_micros,
            key_id=form.key_id,
        )
    except (BudgetRefused, InvalidTerms) as refusal:
        form.add_error(None, str(refusal))
        return False
    return True
