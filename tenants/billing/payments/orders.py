"""Builds the order for a payment from its row alone, so that it is the same each time it is sent to the provider."""

from django.conf import settings

from tenants.billing.payments.models import Payment, ProviderCustomer, Refund
from tenants.billing.payments.provider.protocol import Order, RefundOrder


def order_of(payment: Payment) -> Order:
    """Return the order. Call it in the operator's scope."""
    customer = ProviderCustomer.objects.filter(tenant_id=payment.tenant_id, provider=payment.provider).first()
    return Order(
        payment_id=payment.id,
        tenant_id=payment.tenant_id,
        currency=payment.currency,
        amount_micros=payment.amount_micros,
        text=text_of(payment),
        return_url=f"{settings.MAAS_PUBLIC_URL.rstrip('/')}/billing/payments/{payment.id}",
        created_at=payment.created_at,
        customer_id=customer.customer_id if customer else "",
        method_id=payment.method_id,
        provider_id=payment.provider_id,
        checkout_id=payment.checkout_id,
    )


def text_of(payment: Payment) -> str:
    return f"Invoice {payment.reference}" if payment.invoice_id else "Credit"


def refund_order_of(refund: Refund) -> RefundOrder:
    return RefundOrder(
        refund_id=refund.id,
        tenant_id=refund.tenant_id,
        provider_id=refund.payment.provider_id,
        currency=refund.payment.currency,
        amount_micros=refund.amount_micros,
    )
