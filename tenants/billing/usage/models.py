"""Usage records and their sums: what was used, by which tenant and key, and at which price."""

from django.db import models
from django.utils import timezone

from tenants.core.db.tenant_owned import TenantOwned

ALIKE = ("model", "meter", "currency", "livemode")


class UsageRecord(TenantOwned):
    """A record, written in the transaction of the result it is for. The unique key makes a second charge impossible.

    The source is named by kind and id, so that this app does not depend on pages or calls.
    """

    source_kind = models.CharField(max_length=20)
    source_id = models.UUIDField()
    meter = models.CharField(max_length=20)
    model = models.CharField(max_length=100)
    version = models.PositiveIntegerField()
    quantity = models.PositiveBigIntegerField()
    price = models.JSONField(help_text="Price when the work was accepted.")
    amount_micros = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    livemode = models.BooleanField(default=True)
    key_id = models.UUIDField(
        null=True, editable=False, help_text="The API key that was used. Empty for users and for old records."
    )
    cached = models.BooleanField(default=False, db_default=False, help_text="Whether the result came from the cache.")
    saved_micros = models.BigIntegerField(default=0, db_default=0, help_text="Amount saved compared with a run.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "source_kind", "source_id", "meter"], name="tenants_usagerecord_once"
            ),
        ]
        indexes = [models.Index(fields=["tenant", "created_at"], name="tenants_usage_by_time")]

    def __str__(self) -> str:
        return f"{self.quantity} {self.meter} of {self.model}"


class _Summed(TenantOwned):
    """The fields that the sums have in common."""

    model = models.CharField(max_length=100)
    meter = models.CharField(max_length=20)
    currency = models.CharField(max_length=3)
    livemode = models.BooleanField()
    cached = models.BooleanField()
    quantity = models.PositiveBigIntegerField()
    amount_micros = models.BigIntegerField()
    saved_micros = models.BigIntegerField()
    records = models.PositiveBigIntegerField()

    class Meta(TenantOwned.Meta):
        abstract = True


class UsageDay(_Summed):
    """The sums of a day in UTC. A dashboard view of a month reads a few hundred of these instead of a million records.

    A trigger adds every usage record in the record's own transaction (migration 0015), so the sums are always correct.
    A day has several rows (`shard`, by database connection), so that pages that end at once do not wait for one
    another. After the day is over they are merged into one (tenants/billing/usage/settling.py).
    """

    SETTLED = 50
    """The shard of merged rows that are in UsageTotal and UsageMonth. The trigger writes shards 32 to 47. Shard 48 was
    merged before totals existed, and shard 49 before months existed. Shards below 32 are from before the trigger
    recorded keys.
    """
    TOTALLED = 49
    """Rows with this shard or a higher one are in UsageTotal."""

    day = models.DateField()
    key_id = models.UUIDField(null=True)
    cached = models.BooleanField(default=False, db_default=False)
    shard = models.PositiveSmallIntegerField()
    saved_micros = models.BigIntegerField(default=0, db_default=0)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "day", *ALIKE, "key_id", "cached", "shard"],
                name="tenants_usageday_once_each",
                nulls_distinct=False,
            ),
        ]
        indexes = [
            models.Index(
                fields=["day", "tenant"],
                condition=models.Q(shard__lt=50),
                name="tenants_usageday_not_settled",
            )
        ]

    def __str__(self) -> str:
        return f"{self.quantity} {self.meter} of {self.model} on {self.day}"


class UsageTotal(_Summed):
    """The merged sums of a day over all keys. A year with many keys needs a tenth of the rows.

    The statement that merges them (tenants/billing/usage/settling.py) writes it, so each sum is in here or not merged.
    """

    day = models.DateField()

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "day", *ALIKE, "cached"],
                name="tenants_usagetotal_once_each",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} {self.meter} of {self.model} on {self.day}, of all keys"


class UsageMonth(_Summed):
    """The merged sums of a month for each key, for queries by key over a year. It is written like UsageTotal."""

    month = models.DateField(help_text="First day of the month.")
    key_id = models.UUIDField(null=True)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "month", *ALIKE, "key_id", "cached"],
                name="tenants_usagemonth_once_each",
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} {self.meter} of {self.model} in {self.month:%Y-%m}"
