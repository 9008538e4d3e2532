"""Plans with their dated prices and included units, and the dated plans of each tenant."""

from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.utils import timezone

from tenants.core.db.tenant_owned import TenantOwned
from tenants.core.ids import uuid7
from tenants.limits.fields import AccountLimits
from tenants.plans.prices import METERS
from tenants.plans.wording import money, name_of

CURRENCY = RegexValidator("^[A-Z]{3}$", "Enter three capital letters, such as EUR.")
_METERS = [(meter, name_of(meter)) for meter in METERS]


class Plan(AccountLimits):
    """A plan that is sold. Once a tenant has it, fee and currency cannot change: past bills are computed from them."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    code = models.SlugField(max_length=50, unique=True, help_text="Used by programs. It cannot be changed later.")
    name = models.CharField(max_length=100)
    currency = models.CharField(max_length=3, default="EUR", validators=[CURRENCY])
    monthly_fee_micros = models.PositiveBigIntegerField("monthly fee", default=0)
    trial_days = models.PositiveSmallIntegerField(
        "trial days", default=0, help_text="No fee during these days of the first subscription."
    )
    trial_credit_micros = models.PositiveBigIntegerField(
        "trial credit", default=0, help_text="Credited once, with the first subscription."
    )
    is_prepaid = models.BooleanField(
        "prepaid",
        default=False,
        db_default=False,
        help_text="New tenants on this plan are prepaid: jobs are rejected when units and balance are used up.",
    )
    is_default = models.BooleanField("default for new tenants", default=False, help_text="New tenants get this plan.")
    tier = models.ForeignKey(
        "tenants.Tier",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        db_index=False,
        related_name="plans",
        help_text="Workers that serve its tenants. Leave empty for the own pool of each model.",
    )
    archived = models.BooleanField(default=False, help_text="Tenants keep the plan, but no other tenant can get it.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["is_default"],
                condition=models.Q(is_default=True),
                name="tenants_plan_one_default",
                violation_error_message="Another plan is the default for new tenants. Remove the default there first.",
            ),
            models.CheckConstraint(
                condition=~models.Q(is_default=True, archived=True),
                name="tenants_plan_default_is_sold",
                violation_error_message="An archived plan cannot be the default for new tenants.",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Version(models.Model):
    """A version that applies until the next of its kind. The database refuses to change one that has begun."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    model = models.CharField(
        max_length=100, blank=True, help_text="Model name, such as ocr. Leave empty for all models."
    )
    meter = models.CharField(max_length=10, choices=_METERS)
    valid_from = models.DateTimeField("valid from", blank=True, help_text="UTC. Leave empty for now.")

    class Meta:
        abstract = True

    @property
    def named(self) -> str:
        return f"{self.model or 'all models'}, {self.meter}"


class PriceVersion(Version):
    amount_micros = models.PositiveBigIntegerField(
        "amount",
        null=True,
        blank=True,
        help_text="Leave empty to end this price at that time. The plan price or the model price applies then.",
    )
    per = models.PositiveIntegerField(
        "per units",
        default=1,
        validators=[MinValueValidator(1)],
        help_text="GPU time is in milliseconds: 1000 means per second.",
    )
    cached_micros = models.PositiveBigIntegerField(
        "amount per cache hit", null=True, blank=True, help_text="Leave empty for the same amount."
    )
    review_micros = models.PositiveBigIntegerField(
        "amount per page to check", null=True, blank=True, help_text="Leave empty for the same amount."
    )

    class Meta:
        abstract = True

    def price_text(self, currency: str) -> str:
        """Describe the price with its figures, as the audit log needs it."""
        since = f"from {self.valid_from:%Y-%m-%d %H:%M} UTC"
        if self.amount_micros is None:
            return f"none {since}"
        cached = "" if self.cached_micros is None else f", {money(self.cached_micros, currency)} per cache hit"
        review = "" if self.review_micros is None else f", {money(self.review_micros, currency)} per page to check"
        return f"{money(self.amount_micros, currency)} for {self.per:,}{cached}{review} {since}"


class PlanPrice(PriceVersion):
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="prices", db_index=False)

    class Meta:
        ordering = ["model", "meter", "valid_from"]
        constraints = [
            models.UniqueConstraint(fields=["plan", "model", "meter", "valid_from"], name="tenants_planprice_once")
        ]

    def __str__(self) -> str:
        return f"{self.plan.name}: {self.named}, {self.price_text(self.plan.currency)}"


class PlanIncluded(Version):
    """Units that the fee pays for each month. Units of one model are used first, then units of all models."""

    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="included", db_index=False)
    quantity = models.PositiveBigIntegerField(
        help_text="Units per month. GPU time is in milliseconds. 0: no units from that time on."
    )

    class Meta:
        ordering = ["model", "meter", "valid_from"]
        constraints = [
            models.UniqueConstraint(fields=["plan", "model", "meter", "valid_from"], name="tenants_planincluded_once")
        ]

    def __str__(self) -> str:
        return f"{self.plan.name}: {self.quantity:,} of {self.named}"


class TenantPrice(PriceVersion, TenantOwned):
    """A price for one tenant alone. It takes precedence over the plan's price."""

    audit_kind = "price"
    audited_when_made = True
    """A flag for the audit log: no service creates this price, the form does."""

    currency = models.CharField(max_length=3, default="EUR", validators=[CURRENCY])

    class Meta(TenantOwned.Meta):
        ordering = ["model", "meter", "valid_from"]
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "model", "meter", "valid_from"], name="tenants_tenantprice_once"),
        ]

    def __str__(self) -> str:
        return f"{self.tenant.name}: {self.named}, {self.price_text(self.currency)}"


class Subscription(TenantOwned):
    """The start of a tenant's plan, or of a time without one. A row that has begun stays, to describe the past."""

    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    starts_at = models.DateTimeField()
    trial_ends_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "starts_at"], name="tenants_subscription_once"),
        ]

    def __str__(self) -> str:
        return f"{self.plan.name if self.plan else 'no plan'} since {self.starts_at:%Y-%m-%d}"


class ChosenLimits(AccountLimits):
    """A database view of a tenant's own limits and its plan's. A column is empty if the installation sets it."""

    tenant = models.OneToOneField(
        "tenants.Tenant",
        primary_key=True,
        db_column="id",
        on_delete=models.DO_NOTHING,
        related_name="chosen_limits",
    )
    plan = models.ForeignKey(Plan, on_delete=models.DO_NOTHING, null=True, related_name="+")
    tier = models.ForeignKey("tenants.Tier", on_delete=models.DO_NOTHING, null=True, related_name="+")

    class Meta:
        managed = False
        db_table = "tenants_chosenlimits"

    def __str__(self) -> str:
        return f"limits of {self.tenant.name}"
