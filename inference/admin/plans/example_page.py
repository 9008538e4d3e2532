"""The page on which an operator enters the use of an imagined month and compares its cost under two plans."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from fractions import Fraction
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.widgets import (
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
)

from inference.admin.plans.example import ImaginedUse, Offer, OwnPrices, example_month, rounded_in
from inference.registry.models import ServedModel
from tenants.core.db.clock import database_now
from tenants.core.months import Month
from tenants.plans.models import Plan
from tenants.plans.month import BillLine, MonthBill
from tenants.plans.prices import Price
from tenants.plans.selectors import included_versions, price_versions
from tenants.plans.wording import money, number_of, per_words, used_words

MONTHS_AHEAD = 12
_EXAMPLE = {"page": 10_000, "token": 2_000_000, "call": 10_000, "gpu_second": 3_600_000}
_LABELS = {"gpu_second": "GPU milliseconds"}


class ExampleForm(forms.Form):
    """A form with one row for each model. A model without a quantity is not used."""

    def __init__(
        self,
        *args: Any,
        models: Mapping[str, OwnPrices],
        plans: Sequence[Plan],
        months: Sequence[Month],
        **kw: Any,
    ) -> None:
        super().__init__(*args, **kw)
        self._models = models
        choices = [(str(month), month.title) for month in months]
        self.fields["month"] = forms.ChoiceField(choices=choices, widget=UnfoldAdminSelectWidget)
        others = [("", "no other plan"), *((str(plan.pk), plan.name) for plan in plans)]
        self.fields["against"] = forms.ChoiceField(
            label="Compare with", choices=others, required=False, widget=UnfoldAdminSelectWidget
        )
        for position, own in enumerate(models.values()):
            meter = own.price.meter
            self.fields[f"quantity-{position}"] = forms.IntegerField(
                required=False,
                min_value=0,
                max_value=10**12,
                label=_LABELS.get(meter, f"{meter}s"),
                widget=UnfoldAdminIntegerFieldWidget(attrs={"placeholder": f"for example {_EXAMPLE[meter]}"}),
            )
            self.fields[f"cached-{position}"] = forms.DecimalField(
                required=False,
                min_value=0,
                max_value=100,
                max_digits=7,
                decimal_places=4,
                label="cache hits, %",
                widget=UnfoldAdminDecimalFieldWidget(attrs={"placeholder": "0"}),
            )

    @property
    def rows(self) -> list[tuple[str, Any, Any]]:
        return [
            (name, self[f"quantity-{position}"], self[f"cached-{position}"])
            for position, name in enumerate(self._models)
        ]

    @property
    def uses(self) -> list[ImaginedUse]:
        given = self.cleaned_data
        return [
            ImaginedUse(name, quantity, Fraction(given[f"cached-{position}"] or 0) / 100)
            for position, name in enumerate(self._models)
            if (quantity := given[f"quantity-{position}"])
        ]


@dataclass(frozen=True)
class LineView:
    what: str
    quantity: str
    included: str
    over: str
    price: str
    amount: str
    to_pay: str


@dataclass(frozen=True)
class BillView:
    plan: str
    fee: str
    lines: tuple[LineView, ...]
    totals: tuple[str, ...]
    left: tuple[str, ...]


def example_page(request: HttpRequest, plan: Plan, context: Mapping[str, Any]) -> HttpResponse:
    models = models_own_prices()
    others = list(Plan.objects.exclude(pk=plan.pk).order_by("name"))
    months = _months()
    params = request.GET if "month" in request.GET else None
    form = ExampleForm(params, models=models, plans=others, months=months, initial={"month": str(months[1])})
    bills: list[BillView] = []
    if form.is_valid():
        month = Month.parse(form.cleaned_data["month"]) or months[1]
        against = [other for other in others if str(other.pk) == form.cleaned_data["against"]]
        for offer in (plan, *against):
            bills.append(bill_view(offer.name, example_month(offer_of(offer), form.uses, models, month)))
    return TemplateResponse(
        request,
        "admin/tenants/plan/example.html",
        {**context, "title": f"Example month: {plan.name}", "plan": plan, "form": form, "bills": bills},
    )


def _months() -> list[Month]:
    months = [Month.of(database_now().astimezone(UTC).date())]
    for _ in range(MONTHS_AHEAD):
        months.append(months[-1].next)
    return months


def bill_view(plan: str, bill: MonthBill) -> BillView:
    cents = {currency: rounded_in(bill, currency) for currency in bill.totals_micros}
    lines = tuple(
        _line(line, cents[line.price.currency].lines_micros[position]) for position, line in enumerate(bill.lines)
    )
    return BillView(
        plan=plan,
        fee=money(cents[bill.currency].fee_micros, bill.currency),
        lines=lines,
        totals=tuple(money(sums.total_micros, currency) for currency, sums in cents.items()),
        left=tuple(
            f"{used_words(units.quantity, units.meter)} of {units.model or 'all models'}" for units in bill.left
        ),
    )


def _line(line: BillLine, to_pay_micros: int) -> LineView:
    currency = line.price.currency
    return LineView(
        what=f"{line.model}{', cache hits' if line.cached else ''}",
        quantity=number_of(line.quantity, line.price.meter),
        included=number_of(line.included, line.price.meter),
        over=number_of(line.over, line.price.meter),
        price=price_json(line.price),
        amount=money(line.amount_micros, currency),
        to_pay=money(to_pay_micros, currency),
    )


def price_json(price: Price) -> str:
    return f"{money(price.amount_micros, price.currency)} per {per_words(price)}"


def models_own_prices() -> dict[str, OwnPrices]:
    served = ServedModel.objects.order_by("name")
    return {model.name: OwnPrices(model.price, model.cached_price, model.review_price) for model in served}


def offer_of(plan: Plan) -> Offer:
    return Offer(
        name=plan.name,
        currency=plan.currency,
        fee_micros=plan.monthly_fee_micros,
        prices=price_versions(plan),
        included=included_versions(plan),
    )
