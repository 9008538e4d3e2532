"""Views of payments: the list, one payment with its status, buying credit, and paying an invoice."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tenants.billing.dashboard.payments.forms import TopUpForm
from tenants.billing.invoices.models import Invoice
from tenants.billing.payments.models import Payment
from tenants.billing.payments.protocol import (
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
    begin_invoice_payment,
    begin_top_up,
    currencies_of,
    start,
    take_look,
)
from tenants.billing.payments.upkeep import look_at
from tenants.core.db.unit_of_work import unit_of_work
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

SHOWN = 20


@require_safe
@members_only
def payment_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("billing:read")
    before = as_id(request.GET.get("before"))
    with unit_of_work(identity.tenant_id):
        found = list((payments().filter(id__lt=before) if before else payments())[: SHOWN + 1])
        card = saved_card()
    context = {
        "payments": [PaymentView(one) for one in found[:SHOWN]],
        "older": found[SHOWN - 1].id if len(found) > SHOWN else None,
        "card": card,
        "may_write": "billing:write" in identity.scopes,
    }
    return render(request, "tenants/billing/payments.html", context)


@require_safe
@members_only
def payment_page(request: HttpRequest, identity: Identity, payment_id: str) -> HttpResponse:
    """Show what is known. A payment is shown as paid after the provider has said so, in an event or in response to a
    query.
    """
    identity.require("billing:read")
    payment = _found(identity, payment_id)
    if PaymentView(payment).waits_for_provider and take_look(payment.id, PAGE_LOOKS_EVERY):
        _look(payment)
        payment = _found(identity, payment_id)
    with unit_of_work(identity.tenant_id):
        instructions = instructions_for(payment)
        refunds = list(payment.refunds.order_by("id"))
    context = {
        "shown": PaymentView(payment),
        "payment": payment,
        "instructions": instructions,
        "refunds": refunds,
        "may_write": "billing:write" in identity.scopes,
    }
    return render(request, "tenants/billing/payment.html", context)


def _look(payment: Payment) -> None:
    try:
        look_at(payment.id)
    except (ProviderAway, ProviderRefused):
        return  # The result is not known yet, and the page says so.


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
        try:
            payment = begin_top_up(
                tenant_id=identity.tenant_id,
                provider=form.cleaned_data["provider"],
                wanted=form.wanted,
                made_by=str(request.user),
                once=form.cleaned_data["once"],
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
