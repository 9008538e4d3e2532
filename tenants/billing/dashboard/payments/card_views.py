"""Views of the saved card: its name, whether invoices are taken from it, and its removal."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from tenants.billing.payments.cards import OUTDATED, begin_saving_card, forget_card, keep_card, let_card_pay
from tenants.billing.payments.protocol import AFTER_DAYS, NoSuchProvider, ProviderAway, ProviderUnavailable
from tenants.billing.payments.providers import card_provider
from tenants.billing.payments.selectors import saved_card as card_of_tenant
from tenants.core.db.unit_of_work import unit_of_work
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

LONGEST_ID = 200


@require_safe
@members_only
def saved_card(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Show the saved card. A person who returns from the provider names the page they used, and the provider is asked
    for its result.
    """
    identity.require("billing:read")
    page = request.GET.get("saved", "")[:LONGEST_ID]
    if page.startswith("cs_") and "billing:write" in identity.scopes:
        try:
            if keep_card(page, of_tenant=identity.tenant_id) == OUTDATED:
                messages.warning(
                    request, _("A card was saved or removed in the meantime. Save this card again.")
                )
        except ProviderAway:
            messages.warning(
                request, _("The payment provider does not answer. The card will appear here soon.")
            )
        return redirect("saved_card")
    with unit_of_work(identity.tenant_id):
        card = card_of_tenant()
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
