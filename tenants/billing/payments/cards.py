"""Saved cards. The provider stores them. Only a name and the last digits are known here."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.conf import settings
from django.db.models.functions import Now

from tenants.accounts.models import Tenant
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.billing.payments.models import ProviderCustomer, ProviderEvent
from tenants.billing.payments.payment_work import books
from tenants.billing.payments.protocol import (
    CardProvider,
    NoSuchProvider,
    ProviderAway,
    ProviderRefused,
    ProviderUnavailable,
    SavedCard,
)
from tenants.billing.payments.providers import card_provider
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work

PAGE = "/billing/card"
PAGE_KIND = "card saved"
SAVED, KNOWN = "card saved", "already recorded"
UNAVAILABLE = "The payment provider does not answer. Try again in a minute."
OUTDATED = "outdated: a card was saved or removed since"


def customer_of(tenant_id: UUID) -> ProviderCustomer:
    """Return the tenant's customer, and create it at the provider if there is none. Raises ProviderUnavailable."""
    provider = _cards()
    with operator_work():
        existing = ProviderCustomer.objects.filter(tenant_id=tenant_id, provider=provider.name).first()
        if existing is not None:
            return existing
        name = Tenant.objects.values_list("name", flat=True).get(id=tenant_id)
    with _answering(UNAVAILABLE):
        customer_id = provider.new_customer(tenant_id, name)
    with books():
        customer, _ = ProviderCustomer.objects.get_or_create(
            tenant_id=tenant_id, provider=provider.name, defaults={"customer_id": customer_id}
        )
        return customer


def begin_saving_card(*, tenant_id: UUID) -> str:
    provider, customer = _cards(), customer_of(tenant_id)
    page = f"{settings.MAAS_PUBLIC_URL.rstrip('/')}{PAGE}"
    with operator_work():
        now = database_now()
    with _answering(UNAVAILABLE):
        url = provider.begin_saving(tenant_id, customer.customer_id, page, now)
    if not url.startswith(f"{settings.MAAS_STRIPE_CHECKOUT}/"):
        raise ProviderUnavailable(UNAVAILABLE)
    return url


def keep_card(checkout_id: str, *, of_tenant: UUID | None = None) -> str:
    """Keep the card of a page that the provider or a browser names, as the provider says. Raises ProviderAway."""
    provider = card_provider()
    saved = provider.saved_card(checkout_id) if provider else None
    if provider is None or saved is None or saved.tenant_id is None or of_tenant not in (None, saved.tenant_id):
        return "no matching card"
    with books():
        named = {"customer_id": saved.customer_id, "tenant_id": saved.tenant_id}
        customers = ProviderCustomer.objects.select_for_update().filter(provider=provider.name, **named)
        customer = customers.first()
        if customer is None:
            return "no matching customer"
        page = ProviderEvent.objects.filter(provider=provider.name, event_id=checkout_id)
        if customer.method_id == saved.method_id or page.exists():
            return KNOWN
        if customer.saved_at and saved.begun_at <= customer.saved_at:
            return OUTDATED
        _keep(customer, saved)
        ProviderEvent.objects.create(
            provider=provider.name, event_id=checkout_id, kind=PAGE_KIND, handled_at=Now(), outcome=SAVED
        )
    return SAVED


def _keep(customer: ProviderCustomer, saved: SavedCard) -> None:
    """Store the card. The first one pays invoices, as its page says. A later one keeps the setting before it."""
    changes = changes_between({"card": customer.method_text}, {"card": saved.text})
    pays = customer.pays_invoices or customer.saved_at is None
    ProviderCustomer.objects.filter(id=customer.id).update(
        method_id=saved.method_id, method_text=saved.text, pays_invoices=pays, saved_at=Now()
    )
    record(tenant_id=customer.tenant_id, action="card.saved", subject=saved.text, changes=changes)


def let_card_pay(*, tenant_id: UUID, pays_invoices: bool) -> None:
    with books():
        found = ProviderCustomer.objects.filter(tenant_id=tenant_id).exclude(method_id="")
        for customer in found.exclude(pays_invoices=pays_invoices):
            changes = changes_between({"pays_invoices": customer.pays_invoices}, {"pays_invoices": pays_invoices})
            record(tenant_id=tenant_id, action="card.changed", subject=customer.method_text, changes=changes)
        found.update(pays_invoices=pays_invoices)


def forget_card(*, tenant_id: UUID) -> None:
    """Remove the card here first, so that nothing is taken from it any more, whatever happens at the provider."""
    with books():
        customer = ProviderCustomer.objects.select_for_update().filter(tenant_id=tenant_id).first()
        if customer is None or not customer.method_id:
            return
        method_id = customer.method_id
        _let_go(customer)
    if provider := card_provider():
        with _answering(
            "The card is not charged any more, but the payment provider did not answer and may still have it saved."
        ):
            provider.forget_card(method_id)


def card_is_gone(method_id: str) -> str:
    """Remove a card that the provider reports as removed. Call it inside books()."""
    customer = ProviderCustomer.objects.select_for_update().filter(method_id=method_id).first()
    if customer is None or not method_id:
        return "no matching card"
    _let_go(customer)
    return "card removed"


def _let_go(customer: ProviderCustomer) -> None:
    """Clear the card and store the time in `saved_at`, so that a page opened before it cannot bring a card back."""
    record(tenant_id=customer.tenant_id, action="card.removed", subject=customer.method_text)
    ProviderCustomer.objects.filter(id=customer.id).update(method_id="", method_text="", saved_at=Now())


def _cards() -> CardProvider:
    provider = card_provider()
    if provider is None:
        raise NoSuchProvider("Cards are not accepted here. Pay by bank transfer.")
    return provider


@contextmanager
def _answering(otherwise: str) -> Iterator[None]:
    try:
        yield
    except (ProviderAway, ProviderRefused) as error:
        raise ProviderUnavailable(otherwise) from error
