"""Views for paying: payments, credit, invoices, and the saved card."""

from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tenants.billing.invoices.models import Invoice
from tenants.billing.payments.cards import OUTDATED, begin_saving_card, forget_card, keep_card, let_card_pay
from tenants.billing.payments.models import Payment
from tenants.billing.payments.protocol import (
    AFTER_DAYS,
    PAGE_LOOKS_EVERY,
    FormReused,
    InvoiceNotOpen,
    NoSuchPayment,
    NoSuchProvider,
    PaymentRefused,
    ProviderAway,
    ProviderRefused,
    ProviderUnavailable,
)
from tenants.billing.payments.providers import card_provider
from tenants.billing.payments.selectors import (
    PaymentView,
    as_id,
    get_payment,
    instructions_for,
    payments,
    saved_card,
    ways_to_pay,
)
from tenants.billing.payments.services import (
    MAX_MICROS,
    TopUp,
    begin_invoice_payment,
    begin_top_up,
    currencies_of,
    start,
    take_look,
)
from tenants.billing.payments.upkeep import look_at
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.ids import uuid7
from tenants.core.shares import unit_micros
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity
from tenants.plans.wording import MICROS, rounded_money

SHOWN = 20
LONGEST_ID = 200


class TopUpForm(forms.Form):
    amount = forms.DecimalField(
        label=gettext_lazy("Amount"),
        min_value=0,
        max_value=MAX_MICROS // MICROS,
        decimal_places=6,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )
    currency = forms.ChoiceField(label=gettext_lazy("Currency"))
    provider = forms.ChoiceField(label=gettext_lazy("Payment method"), widget=forms.RadioSelect)
    once = forms.UUIDField(widget=forms.HiddenInput, initial=uuid7)
    """An id of this form. If the form is sent again, for example by a second click, there is still one payment."""

    def __init__(self, *args: Any, currencies: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._choose("currency", [(currency, currency) for currency in currencies])
        self._choose("provider", [(way.name, way.words.capitalize()) for way in ways_to_pay()])

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
        self.initial.setdefault(name, choices[0][0])

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        amount, currency = values.get("amount"), values.get("currency")
        if isinstance(amount, Decimal) and currency:
            unit = unit_micros(currency)
            if amount <= 0 or int(amount * MICROS) % unit:
                self.add_error("amount", f"Enter an amount above zero, in steps of {rounded_money(unit, currency)}.")
        return values


@require_safe
@members_only
def payment_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("billing:read")
    before = as_id(request.GET.get("before"))
    with unit_of_work(identity.tenant_id):
        found = list((payments().filter(id__lt=before) if before else payments())[: SHOWN + 1])
        card = saved_card()
    context = {
        "payments": [PaymentView(payment) for payment in found[:SHOWN]],
        "older": found[SHOWN - 1].id if len(found) > SHOWN else None,
        "card": card,
        "may_write": "billing:write" in identity.scopes,
    }
    return render(request, "tenants/billing/payments.html", context)


@require_safe
@members_only
def payment_page(request: HttpRequest, identity: Identity, payment_id: str) -> HttpResponse:
    """Show what is known. A payment is shown as paid once the provider says so, in an event or a response."""
    identity.require("billing:read")
    payment = _found(identity, payment_id)
    if PaymentView(payment).waits_for_provider and take_look(payment.id, PAGE_LOOKS_EVERY):
        with suppress(ProviderAway, ProviderRefused):  # The result is then not known yet, and the page says so.
            look_at(payment.id)
        payment = _found(identity, payment_id)
    with unit_of_work(identity.tenant_id):
        context = {
            "shown": PaymentView(payment),
            "payment": payment,
            "instructions": instructions_for(payment),
            "refunds": list(payment.refunds.order_by("id")),
            "may_write": "billing:write" in identity.scopes,
        }
    return render(request, "tenants/billing/payment.html", context)


def _found(identity: Identity, payment_id: str) -> Payment:
    with unit_of_work(identity.tenant_id):
        try:
            return get_payment(payment_id)
        except NoSuchPayment as none:
            raise Http404(none.detail) from none


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def top_up(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("billing:write")
    form = TopUpForm(request.POST or None, currencies=currencies_of(identity.tenant_id), label_suffix="")
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            payment = begin_top_up(
                tenant_id=identity.tenant_id,
                provider=data["provider"],
                wanted=TopUp(data["currency"], int(data["amount"] * MICROS)),
                made_by=str(request.user),
                once=data["once"],
            )
        except FormReused as refusal:
            form.add_error("amount", refusal.detail)
        else:
            return _onward(request, payment)
    status = 422 if request.method == "POST" else 200
    return render(request, "tenants/billing/top_up.html", {"form": form}, status=status)


@require_POST
@members_only
def pay_invoice(request: HttpRequest, identity: Identity, invoice_id: str) -> HttpResponse:
    """Begin to pay an invoice. A person who has not chosen a way to pay, and can choose, gets a page for it."""
    identity.require("billing:write")
    with unit_of_work(identity.tenant_id):
        invoice = Invoice.objects.filter(id=wanted).first() if (wanted := as_id(invoice_id)) else None
    if invoice is None:
        raise Http404("This invoice does not exist.")
    ways = ways_to_pay()
    chosen = request.POST.get("provider", ways[0].name if len(ways) == 1 else "")
    if not chosen:
        return render(request, "tenants/billing/pay_how.html", {"invoice": invoice, "ways": ways})
    try:
        payment = begin_invoice_payment(
            tenant_id=identity.tenant_id,
            provider=chosen,
            invoice_id=invoice.id,
            made_by=str(request.user),
        )
    except (InvoiceNotOpen, NoSuchProvider) as refusal:
        messages.error(request, refusal.detail)
        return redirect("payments")
    return _onward(request, payment)


def _onward(request: HttpRequest, payment: Payment) -> HttpResponse:
    """Redirect to the provider's page if there is one, or else to our page, which says what to do."""
    try:
        payment = start(payment)
    except (PaymentRefused, ProviderUnavailable) as refusal:
        messages.error(request, refusal.detail)
    if payment.checkout_url and payment.status == Payment.Status.PENDING:
        return redirect(payment.checkout_url)
    return redirect("payment", payment.id)


@require_safe
@members_only
def card_page(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Show the saved card. After a return from the provider, ask it for the result of the page it names."""
    identity.require("billing:read")
    page = request.GET.get("saved", "")[:LONGEST_ID]
    if page.startswith("cs_") and "billing:write" in identity.scopes:
        try:
            if keep_card(page, of_tenant=identity.tenant_id) == OUTDATED:
                messages.warning(request, _("A card was saved or removed in the meantime. Save this card again."))
        except ProviderAway:
            messages.warning(request, _("The payment provider does not answer. The card will appear here soon."))
        return redirect("saved_card")
    with unit_of_work(identity.tenant_id):
        card = saved_card()
    context = {
        "card": card,
        "is_offered": card_provider() is not None,
        "days": AFTER_DAYS,
        "may_write": "billing:write" in identity.scopes,
    }
    return render(request, "tenants/billing/card.html", context)


@require_POST
@members_only
def save_card(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("billing:write")
    try:
        return redirect(begin_saving_card(tenant_id=identity.tenant_id))
    except (ProviderUnavailable, NoSuchProvider) as refusal:
        messages.error(request, refusal.detail)
        return redirect("saved_card")


@require_POST
@members_only
def use_card(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("billing:write")
    let_card_pay(tenant_id=identity.tenant_id, pays_invoices=request.POST.get("pays_invoices") == "yes")
    return redirect("saved_card")


@require_POST
@members_only
def remove_card(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("billing:write")
    try:
        forget_card(tenant_id=identity.tenant_id)
        messages.success(request, _("Card removed. It is no longer charged."))
    except ProviderUnavailable as refusal:
        messages.warning(request, refusal.detail)
    return redirect("saved_card")
