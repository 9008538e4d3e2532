"""What was paid, by which provider, for what; and what providers told of it."""

from django.db import models
from django.db.models.functions import Now

from tenants.billing.invoices.models import Invoice
from tenants.ids import uuid7
from tenants.scoped import TenantOwned


class Payment(TenantOwned):
    """Of an invoice, or of credit bought before. It is in the ledger once it has succeeded, once for ever."""

    class Purpose(models.TextChoices):
        INVOICE = "invoice"
        TOP_UP = "top_up", "credit"

    class Status(models.TextChoices):
        PENDING = "pending"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELED = "canceled"

    provider = models.CharField(max_length=20)
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    invoice = models.ForeignKey(
        Invoice, on_delete=models.PROTECT, null=True, blank=True, related_name="payments", db_constraint=False
    )
    currency = models.CharField(max_length=3)
    amount_micros = models.PositiveBigIntegerField()
    refunded_micros = models.PositiveBigIntegerField(default=0)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    reference = models.CharField(
        max_length=40, help_text="What a payer writes on a transfer, so that it is found again."
    )
    provider_id = models.CharField(max_length=200, blank=True, help_text="As the provider names it.")
    failure = models.CharField(max_length=200, blank=True)
    made_by = models.CharField(max_length=254, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    succeeded_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["provider", "provider_id"],
                condition=~models.Q(provider_id=""),
                name="tenants_payment_of_provider_once",
            ),
            models.CheckConstraint(
                condition=models.Q(refunded_micros__lte=models.F("amount_micros")),
                name="tenants_payment_not_refunded_twice",
            ),
        ]
        indexes = [models.Index(fields=["tenant", "-created_at"], name="tenants_payment_newest")]

    def __str__(self) -> str:
        return self.reference


class Refund(TenantOwned):
    """Of a payment, whole or in part, decided by an operator or told by the provider."""

    payment = models.ForeignKey(
        Payment, on_delete=models.PROTECT, related_name="refunds", db_constraint=False, db_index=False
    )
    amount_micros = models.PositiveBigIntegerField()
    status = models.CharField(max_length=10, choices=Payment.Status.choices, default=Payment.Status.PENDING)
    provider_id = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    made_by = models.CharField(max_length=254, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["payment", "provider_id"],
                condition=~models.Q(provider_id=""),
                name="tenants_refund_of_provider_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount_micros} of {self.payment_id}"


class ProviderCustomer(TenantOwned):
    """Who a tenant is to a provider, and the card that it has saved there."""

    provider = models.CharField(max_length=20)
    customer_id = models.CharField(max_length=200)
    method_id = models.CharField(max_length=200, blank=True)
    method_text = models.CharField(max_length=100, blank=True, help_text="Such as visa •••• 4242, 12/30.")
    pays_invoices = models.BooleanField(
        default=False, help_text="Invoices are taken from it when they are issued."
    )

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "provider"], name="tenants_providercustomer_once"),
            models.UniqueConstraint(
                fields=["provider", "customer_id"], name="tenants_providercustomer_one_tenant"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.customer_id}"


class ProviderEvent(models.Model):
    """What a provider told, once for each of its ids: whoever tells it again is answered and nothing is done twice."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    provider = models.CharField(max_length=20)
    event_id = models.CharField(max_length=200)
    kind = models.CharField(max_length=100)
    received_at = models.DateTimeField(db_default=Now(), editable=False)
    handled_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "event_id"], name="tenants_providerevent_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"
