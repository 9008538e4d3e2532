"""Invoices and credit notes as issued, with buyer and seller. Written rows never change. See migration 0021."""

from django.core.validators import MaxValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Now

from tenants.core.db.tenant_owned import TenantOwned
from tenants.core.ids import uuid7

COUNTRY = RegexValidator("^[A-Z]{2}$", "Two capital letters, for example DE.")
PREFIX = RegexValidator("^[A-Z0-9][A-Z0-9-]{0,11}$", "Capital letters, digits and hyphens, 12 at most.")
MAX_TAX_BP = 10_000


class Seller(models.Model):
    """The operator's own business as printed on its invoices. There is one row. Without it no invoices are drawn."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    only = models.BooleanField(default=True, editable=False, unique=True)
    name = models.CharField(max_length=200)
    address = models.TextField(max_length=500, help_text="Printed line by line.")
    country = models.CharField(max_length=2, validators=[COUNTRY])
    tax_id = models.CharField("tax ID", max_length=50, blank=True)
    email = models.EmailField(blank=True, help_text="Contact for questions about invoices.")
    prefix = models.CharField(
        "invoice number prefix",
        max_length=12,
        default="INV",
        validators=[PREFIX],
        help_text="For example INV for INV-2026-000001.",
    )
    tax_name = models.CharField(max_length=20, default="VAT")
    tax_rate_bp = models.PositiveSmallIntegerField(
        "tax rate",
        default=0,
        validators=[MaxValueValidator(MAX_TAX_BP)],
        help_text="In hundredths of a percent: 1900 is 19 %.",
    )
    payment_days = models.PositiveSmallIntegerField(
        "payment term in days",
        default=14,
        validators=[MaxValueValidator(365)],
        help_text="Days from the invoice date to the due date.",
    )
    bank_details = models.TextField(
        max_length=500, blank=True, help_text="Account for bank transfers, such as IBAN and BIC."
    )
    footer = models.TextField(max_length=500, blank=True)
    bills_from = models.DateField("billing starts", help_text="First day of the first month to bill.")

    class Meta:
        verbose_name = verbose_name_plural = "company details"
        constraints = [models.CheckConstraint(condition=models.Q(only=True), name="tenants_seller_one")]

    def __str__(self) -> str:
        return self.name


class BillingDetails(TenantOwned):
    """The name, address and tax details to which a tenant's invoices are addressed."""

    audit_kind = "billing"

    class Tax(models.TextChoices):
        STANDARD = "standard", "standard rate"
        REVERSE_CHARGE = "reverse_charge", "reverse charge (paid by the customer)"
        EXEMPT = "exempt", "exempt"

    name = models.CharField(max_length=200, help_text="Name of the paying company or person.")
    address = models.TextField(max_length=500, blank=True)
    country = models.CharField(max_length=2, blank=True, validators=[COUNTRY])
    tax_id = models.CharField("tax ID", max_length=50, blank=True)
    email = models.EmailField(blank=True, help_text="Receives invoices in addition to owners and billing members.")
    reference = models.CharField(
        max_length=100, blank=True, help_text="Printed on each invoice, such as an order number."
    )
    tax = models.CharField(max_length=20, choices=Tax.choices, default=Tax.STANDARD)
    tax_rate_bp = models.PositiveSmallIntegerField(
        "tax rate",
        null=True,
        blank=True,
        validators=[MaxValueValidator(MAX_TAX_BP)],
        help_text="Leave empty for the rate in the company details.",
    )
    changed_at = models.DateTimeField(auto_now=True, editable=False)

    class Meta(TenantOwned.Meta):
        verbose_name_plural = "billing details"
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant"], name="tenants_billingdetails_once"),
        ]

    def __str__(self) -> str:
        return self.name


class NumberSeries(models.Model):
    """The last number given in a year. The row stays locked until the invoice is written, so that no number is lost."""

    name = models.CharField(max_length=20, primary_key=True, help_text="For example INV-2026.")
    last = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.name} up to {self.last}"


class Invoice(TenantOwned):
    """An invoice, or a credit note for an invoice. The billed amounts never change. The paid amounts do."""

    is_money = True

    class Kind(models.TextChoices):
        INVOICE = "invoice"
        CREDIT_NOTE = "credit_note"

    class Status(models.TextChoices):
        OPEN = "open"
        PAID = "paid"
        WRITTEN_OFF = "written_off", "written off"

    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.INVOICE)
    series = models.CharField(max_length=20)
    sequence = models.PositiveIntegerField()
    number = models.CharField(max_length=40, unique=True)
    corrects = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="credit_notes", db_constraint=False
    )
    reason = models.CharField(max_length=200, blank=True)
    currency = models.CharField(max_length=3)
    month = models.DateField(help_text="First day of the billed month.")
    period_start = models.DateTimeField()
    period_end = models.DateTimeField()
    issued_on = models.DateField()
    due_on = models.DateField()
    seller = models.JSONField()
    buyer = models.JSONField()
    lines_count = models.PositiveIntegerField()
    net_micros = models.BigIntegerField()
    tax_name = models.CharField(max_length=20)
    tax_rate_bp = models.PositiveSmallIntegerField(default=0)
    tax_note = models.CharField(max_length=200, blank=True)
    tax_micros = models.BigIntegerField()
    total_micros = models.BigIntegerField()
    due_micros = models.BigIntegerField(help_text="Amount not covered by the balance at issue.")
    paid_micros = models.BigIntegerField(default=0)
    credited_micros = models.BigIntegerField(default=0, help_text="Part of the due amount that credit notes canceled.")
    written_off_micros = models.BigIntegerField(default=0)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.OPEN)
    paid_at = models.DateTimeField(null=True)
    made_by = models.CharField(max_length=254, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    notified_at = models.DateTimeField("mailed at", null=True, help_text="When the invoice was mailed.")

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["series", "sequence"], name="tenants_invoice_numbered_once"),
            models.CheckConstraint(
                condition=models.Q(total_micros=models.F("net_micros") + models.F("tax_micros")),
                name="tenants_invoice_adds_up",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    due_micros__gte=models.F("paid_micros")
                    + models.F("credited_micros")
                    + models.F("written_off_micros"),
                    due_micros__lte=models.F("total_micros"),
                ),
                name="tenants_invoice_not_overpaid",
            ),
        ]
        indexes = [models.Index(fields=["tenant", "-issued_on", "-id"], name="tenants_invoice_newest")]

    def __str__(self) -> str:
        return self.number

    @property
    def open_micros(self) -> int:
        return self.due_micros - self.paid_micros - self.credited_micros - self.written_off_micros


class InvoiceLine(TenantOwned):
    """A line, which adds to earlier lines for the same item, as when usage arrives late."""

    class Kind(models.TextChoices):
        FEE = "fee"
        USAGE = "usage"
        UNCOLLECTED = "uncollected", "not collected"
        CORRECTION = "correction"

    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]  # rows are many and ordered
    invoice = models.ForeignKey(
        Invoice, on_delete=models.PROTECT, related_name="lines", db_constraint=False, db_index=False
    )
    position = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=Kind.choices)
    month = models.DateField(help_text="First day of the month that the line belongs to.")
    recorded_late = models.BooleanField(default=False, help_text="Belongs to a month that was billed earlier.")
    text = models.CharField(max_length=320)
    plan_id = models.UUIDField(null=True, help_text="Plan of a fee.")
    model = models.CharField(max_length=100, blank=True)
    cached = models.BooleanField(default=False)
    price = models.JSONField(null=True)
    quantity = models.BigIntegerField(default=0)
    included = models.BigIntegerField(default=0)
    exact_micros = models.BigIntegerField()
    amount_micros = models.BigIntegerField(help_text="Rounded to the smallest unit of the currency.")

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["invoice", "position"], name="tenants_invoiceline_once"),
        ]
        indexes = [models.Index(fields=["tenant", "month"], name="tenants_invoiceline_by_month")]

    def __str__(self) -> str:
        return self.text


class ClosedMonth(TenantOwned):
    """A month that was billed. Late usage of it goes on the next invoice, on a line of its own."""

    month = models.DateField()
    records = models.BigIntegerField(default=0, help_text="Number of usage records at the last check.")
    closed_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "month"], name="tenants_closedmonth_once"),
        ]

    def __str__(self) -> str:
        return f"{self.month:%Y-%m}"
