"""Monthly budgets that an account sets for itself and its keys: the list, setting one, and removing one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from tenants.api_keys.selectors import names_of_keys
from tenants.billing.dashboard.money import shown_money
from tenants.billing.ledger.errors import InvalidTerms
from tenants.billing.ledger.models import Budget, Wallet
from tenants.billing.ledger.posting import first_of_this_month
from tenants.billing.ledger.terms import MAX_MICROS, BudgetRefused, remove_own_budget, set_own_budget
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity
from tenants.plans.selectors import current_plan
from tenants.plans.wording import MICROS

CURRENCY = "EUR"
WHOLE = 100
_ACCOUNT = "The whole account"


class BudgetForm(forms.Form):
    of = forms.ChoiceField(label=gettext_lazy("For"), required=False)
    currency = forms.ChoiceField()
    monthly = forms.DecimalField(
        label=gettext_lazy("Per month"),
        min_value=0,
        max_value=MAX_MICROS // MICROS,
        decimal_places=6,
        help_text=gettext_lazy("The limit for each calendar month (UTC). 0 stops all paid work."),
        widget=forms.NumberInput(attrs={"step": "0.01", "min": "0", "inputmode": "decimal"}),
    )

    def __init__(self, *args: Any, keys: Sequence[tuple[str, str]], currencies: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["of"].choices = [("", _ACCOUNT), *keys]  # type: ignore[attr-defined]
        self.fields["currency"].choices = [(currency, currency) for currency in currencies]  # type: ignore[attr-defined]


@dataclass(frozen=True)
class BudgetRow:
    id: UUID
    of: str
    is_own: bool
    monthly: str
    used: str
    held: str
    percent: int
    """The percentage of the budget that is used or held, at most 100, for a bar."""

    @property
    def is_used_up(self) -> bool:
        return self.percent >= WHOLE


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
        found, month = list(Budget.objects.all()), first_of_this_month()
        names = names_of_keys([str(budget.api_key_id) for budget in found if budget.api_key_id])
    rows = [_row(budget, names, month) for budget in found]
    context = {
        "rows": sorted(rows, key=lambda row: (row.of != _ACCOUNT, row.of.casefold(), row.is_own)),
        "form": form,
        "may_write": "billing:write" in identity.scopes,
    }
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


def _row(budget: Budget, names: Mapping[str, str], month: date) -> BudgetRow:
    used = budget.used_micros if budget.month == month else 0
    together = used + budget.held_micros
    return BudgetRow(
        id=budget.pk,
        of=names.get(str(budget.api_key_id), "Deleted key") if budget.api_key_id else _ACCOUNT,
        is_own=budget.set_by == Budget.By.TENANT,
        monthly=shown_money(budget.monthly_micros, budget.currency),
        used=shown_money(used, budget.currency),
        held=shown_money(budget.held_micros, budget.currency) if budget.held_micros else "",
        percent=min(WHOLE, together * WHOLE // budget.monthly_micros) if budget.monthly_micros else WHOLE,
    )


def _form(request: HttpRequest, identity: Identity) -> BudgetForm:
    with unit_of_work(identity.tenant_id):
        named = names_of_keys([])
        currencies = list(Wallet.objects.order_by("opened_at").values_list("currency", flat=True))
    with operator_work():
        plan = current_plan(identity.tenant_id)
    keys = sorted(((key, f"Key {name}") for key, name in named.items()), key=lambda key: key[1].casefold())
    # Only currencies that concern the account are offered, because a budget opens a wallet and a wallet stays.
    choices = dict.fromkeys([*currencies, *([plan.currency] if plan else [])]) or [CURRENCY]
    return BudgetForm(request.POST or None, keys=keys, currencies=list(choices), label_suffix="")


def _set(form: BudgetForm, identity: Identity) -> bool:
    data = form.cleaned_data
    try:
        set_own_budget(
            tenant_id=identity.tenant_id,
            currency=data["currency"],
            monthly_micros=int(data["monthly"] * MICROS),
            key_id=UUID(data["of"]) if data["of"] else None,
        )
    except (BudgetRefused, InvalidTerms) as refusal:
        form.add_error(None, str(refusal))
        return False
    return True
