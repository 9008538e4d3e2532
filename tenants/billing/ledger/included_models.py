"""Pools of included units: granted, held and used. They change under the wallet's lock. See migration 0028."""

from django.db import models
from django.db.models.functions import Now

from tenants.core.db.tenant_owned import TenantOwned


class IncludedPool(TenantOwned):
    """The units of a month, or of the rest of the month in which a plan began. The granted number never decreases."""

    since = models.DateTimeField(help_text="Start of the month, or of the plan within it.")
    model = models.CharField(max_length=100, help_text="Empty for all models.")
    meter = models.CharField(max_length=10)
    granted = models.PositiveBigIntegerField()
    used = models.PositiveBigIntegerField(default=0)
    held = models.PositiveBigIntegerField(default=0)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "since", "model", "meter"], name="tenants_includedpool_once"),
            models.CheckConstraint(
                condition=models.Q(granted__gte=models.F("used") + models.F("held")),
                name="tenants_includedpool_has_them",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.granted} {self.meter} of {self.model or 'all models'} since {self.since:%Y-%m-%d}"


class IncludedHold(TenantOwned):
    """Units of a pool that are held for work in progress. The row is deleted at settlement."""

    pool = models.ForeignKey(
        IncludedPool, on_delete=models.PROTECT, related_name="holds", db_constraint=False, db_index=False
    )
    source_kind = models.CharField(max_length=20)
    source_id = models.UUIDField()
    quantity = models.PositiveBigIntegerField()

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "source_kind", "source_id", "pool"], name="tenants_includedhold_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} held for {self.source_kind} {self.source_id}"


class IncludedUse(TenantOwned):
    """The included units of one settlement, and the amount that was therefore not charged. The row never changes."""

    pool = models.ForeignKey(
        IncludedPool, on_delete=models.PROTECT, related_name="uses", db_constraint=False, db_index=False
    )
    source_kind = models.CharField(max_length=20)
    source_id = models.UUIDField()
    month = models.DateField(help_text="First day of the month in which the units were used.")
    day = models.DateField(help_text="The day of the settlement, in UTC.")
    model = models.CharField(max_length=100)
    cached = models.BooleanField()
    price = models.JSONField()
    quantity = models.PositiveBigIntegerField()
    saved_micros = models.PositiveBigIntegerField(help_text="Amount that was not charged.")
    currency = models.CharField(max_length=3)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=[
                    "tenant",
                    "source_kind",
                    "source_id",
                    "pool",
                    "month",
                    "model",
                    "cached",
                    "price",
                ],
                name="tenants_includeduse_once",
            ),
        ]
        indexes = [models.Index(fields=["tenant", "month"], name="tenants_includeduse_by_month")]

    def __str__(self) -> str:
        return f"{self.quantity} of {self.model} included for {self.source_kind} {self.source_id}"
