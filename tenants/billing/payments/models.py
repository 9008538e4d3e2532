"""Payments, their providers and purposes, refunds, and events from providers."""

from django.db import models
from django.db.models.functions import Now

from tenants.billing.invoices.models import Invoice
from tenants.core.db.tenant_owned import TenantOwned
from tenants.core.ids import uuid7

DISPUTES_LEFT_BEHIND = ("won", "warning_closed")
"""The statuses of disputes that have ended without a loss of the money."""


class Payment(TenantOwned):
    """A payment for an invoice or for credit. When it has succeeded, it is in the ledger exactly once."""

    is_money = True

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
    reference = models.CharField(max_length=40, help_text="Payment reference for a bank transfer.")
    provider_id = models.CharField(max_length=200, blank=True, help_text="ID at the provider.")
    failure = models.CharField(max_length=200, blank=True)
    made_by = models.CharField(max_length=254, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    succeeded_at = models.DateTimeField(null=True, blank=True)
    once = models.UUIDField(
        null=True, editable=False, help_text="ID of the form, so that sending it twice makes one payment."
    )
    automatic = models.BooleanField(default=False, help_text="Charged automatically to a saved card.")
    method_id = models.CharField(max_length=200, blank=True, help_text="ID of the saved card at the provider.")
    checkout_id = models.CharField(max_length=200, blank=True, help_text="ID of the checkout page at the provider.")
    checkout_url = models.TextField(blank=True)
    requested_at = models.DateTimeField(null=True, help_text="When it was first requested from the provider.")
    checked_at = models.DateTimeField(null=True, help_text="When the status was last checked at the provider.")
    failure_notified_at = models.DateTimeField(null=True, help_text="When the failure was mailed.")
    invoice_micros = models.PositiveBigIntegerField(
        default=0, help_text="Part used for the invoice. The rest is account credit."
    )
    reopened_micros = models.PositiveBigIntegerField(
        default=0, help_text="Part of the invoice amount that is due again after refunds."
    )
    reported_micros = models.BigIntegerField(null=True, help_text="Amount reported by the provider, if it differs.")
    reported_currency = models.CharField(max_length=3, blank=True)
    reported_id = models.CharField(
        max_length=200,
        blank=True,
        db_default="",
        editable=False,
        help_text="ID of the reported payment at the provider.",
    )
    cleared_micros = models.BigIntegerField(
        null=True, help_text="Reported amount that an operator has checked. It is not reported again."
    )
    cleared_currency = models.CharField(max_length=3, blank=True, db_default="", editable=False)
    cleared_id = models.CharField(max_length=200, blank=True, db_default="", editable=False)
    dispute = models.CharField(max_length=40, blank=True, help_text="Status of a dispute by the payer.")
    dispute_id = models.CharField(
        max_length=100, blank=True, db_default="", help_text="ID of the dispute at the provider."
    )
    note = models.CharField(max_length=200, blank=True)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "once"], name="tenants_payment_asked_once"),
            models.UniqueConstraint(
                fields=["provider", "checkout_id"],
                condition=~models.Q(checkout_id=""),
                name="tenants_payment_one_checkout",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    reopened_micros__lte=models.F("invoice_micros"),
                    invoice_micros__lte=models.F("amount_micros"),
                ),
                name="tenants_payment_takes_what_came",
            ),
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
        indexes = [
            models.Index(fields=["tenant", "-created_at"], name="tenants_payment_newest"),
            models.Index(fields=["created_at"], condition=models.Q(status="pending"), name="tenants_payment_pending"),
        ]

    def is_cleared(self, micros: int, currency: str, provider_id: str) -> bool:
        """Return whether this report was cleared. Earlier versions of the product stored only its amount."""
        same = (self.cleared_currency, self.cleared_id) == (currency, provider_id)
        return self.cleared_micros == micros and (same or not self.cleared_currency)

    def __str__(self) -> str:
        return self.reference


class Refund(TenantOwned):
    """A refund of a payment, in whole or in part, decided by an operator or reported by the provider."""

    payment = models.ForeignKey(
        Payment, on_delete=models.PROTECT, related_name="refunds", db_constraint=False, db_index=False
    )
    amount_micros = models.PositiveBigIntegerField()
    status = models.CharField(max_length=10, choices=Payment.Status.choices, default=Payment.Status.PENDING)
    provider_id = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    made_by = models.CharField(max_length=254, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    once = models.UUIDField(
        null=True, editable=False, help_text="ID of the form, so that sending it twice makes one refund."
    )
    owed_again = models.BooleanField(
        default=False,
        help_text="On: the invoice is due again. Off: the refund is deducted from the account credit.",
    )
    reopened_micros = models.PositiveBigIntegerField(default=0)
    requested_at = models.DateTimeField(null=True, help_text="When it was first requested from the provider.")
    checked_at = models.DateTimeField(null=True)
    failure = models.CharField(max_length=200, blank=True)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "once"], name="tenants_refund_asked_once"),
            models.UniqueConstraint(
                fields=["payment", "provider_id"],
                condition=~models.Q(provider_id=""),
                name="tenants_refund_of_provider_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount_micros} of {self.payment_id}"


class ProviderCustomer(TenantOwned):
    """A tenant's customer id at a provider, and the card that it has saved there."""

    provider = models.CharField(max_length=20)
    customer_id = models.CharField(max_length=200)
    method_id = models.CharField(max_length=200, blank=True)
    method_text = models.CharField(max_length=100, blank=True, help_text="For example visa •••• 4242, 12/30.")
    pays_invoices = models.BooleanField(
        default=False, help_text="Whether invoices are charged to this card when they are issued."
    )
    saved_at = models.DateTimeField(null=True, help_text="When the card was saved.")

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "provider"], name="tenants_providercustomer_once"),
            models.UniqueConstraint(fields=["provider", "customer_id"], name="tenants_providercustomer_one_tenant"),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.customer_id}"


class ProviderEvent(models.Model):
    """An event from a provider, stored once per event id. A repeated event is answered, and nothing is done twice."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    provider = models.CharField(max_length=20)
    event_id = models.CharField(max_length=200)
    kind = models.CharField(max_length=100)
    received_at = models.DateTimeField(db_default=Now(), editable=False)
    handled_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=320, blank=True)

    class Meta:
        verbose_name = "payment event"
        constraints = [models.UniqueConstraint(fields=["provider", "event_id"], name="tenants_providerevent_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"
