"""Wallets, the transactions that change them, and budgets. Entries are added and never changed. See migration 0012."""

from django.db import models
from django.db.models.functions import Now

from tenants.billing.ledger import postings
from tenants.core.db.tenant_owned import TenantOwned


class Wallet(TenantOwned):
    """A tenant's money in one currency: the sums of its entries, changed in the transactions that write the entries."""

    audited_by_services = True
    """True because the services that write wallets also write the audit log, and know more than a form."""

    class Kind(models.TextChoices):
        PREPAID = "prepaid", "prepaid: jobs are rejected when the balance is used up"
        INVOICED = "invoiced", "invoiced: usage is billed monthly"

    currency = models.CharField(max_length=3)
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.INVOICED)
    credit_line_micros = models.PositiveBigIntegerField(
        default=0, help_text="How far below 0 a prepaid balance may go, in millionths."
    )
    available_micros = models.BigIntegerField(default=0, editable=False)
    held_micros = models.BigIntegerField(default=0, editable=False)
    opened_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "currency"], name="tenants_wallet_once"),
            models.CheckConstraint(condition=models.Q(held_micros__gte=0), name="tenants_wallet_holds_no_debt"),
        ]

    def __str__(self) -> str:
        return f"{self.tenant.name} in {self.currency}"

    @property
    def spendable_micros(self) -> int | None:
        """Return the spendable amount. Return None if only budgets bound it."""
        if self.kind == self.Kind.INVOICED:
            return None
        return self.available_micros + self.credit_line_micros


class LedgerTransaction(TenantOwned):
    """A money transaction. Its source is named by kind and id. A source has one hold and one settlement at most."""

    kind = models.CharField(max_length=10, choices=[(kind, kind) for kind in postings.KINDS])
    source_kind = models.CharField(max_length=20)
    source_id = models.UUIDField()
    currency = models.CharField(max_length=3)
    day = models.DateField(help_text="The day that the transaction belongs to, in UTC.")
    api_key_id = models.UUIDField(null=True)
    reason = models.CharField(max_length=200, blank=True)
    made_by = models.CharField(max_length=254, blank=True, help_text="The operator who created the transaction.")
    earlier = models.JSONField(
        null=True,
        editable=False,
        help_text="Charges only: amounts for work of earlier months, by month.",
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "source_kind", "source_id"],
                condition=models.Q(kind__in=[postings.HOLD, postings.GRANT]),
                name="tenants_ledger_one_hold",
            ),
            models.UniqueConstraint(
                fields=["tenant", "source_kind", "source_id"],
                condition=models.Q(kind__in=[postings.CHARGE, postings.RELEASE]),
                name="tenants_ledger_one_settlement",
            ),
            models.UniqueConstraint(
                fields=["tenant", "source_kind", "source_id", "kind"],
                condition=models.Q(kind__in=postings.ONCE),
                name="tenants_ledger_one_each",
            ),
        ]
        indexes = [
            models.Index(fields=["day"], name="tenants_ledger_of_day"),
            models.Index(fields=["tenant"], condition=models.Q(earlier__isnull=False), name="tenants_ledger_earlier"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.source_kind} {self.source_id}"


class LedgerEntry(TenantOwned):
    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]  # rows are many and ordered
    transaction = models.ForeignKey(
        LedgerTransaction,
        on_delete=models.PROTECT,
        related_name="entries",
        db_constraint=False,
        db_index=False,
    )
    account = models.CharField(max_length=12, choices=[(name, name) for name in postings.ACCOUNTS])
    amount_micros = models.BigIntegerField()
    currency = models.CharField(max_length=3)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["transaction", "account"], name="tenants_ledgerentry_once"),
        ]

    def __str__(self) -> str:
        return f"{self.amount_micros} to {self.account}"


class LedgerDay(TenantOwned):
    """The sums of a wallet's entries of one day, by kind of transaction and account.

    A trigger adds every entry in the entry's own transaction (sql/70_ledger_days.sql), so the sums are always those of
    the entries. The nightly check reads these instead of all entries.
    """

    currency = models.CharField(max_length=3)
    day = models.DateField()
    kind = models.CharField(max_length=10, choices=[(kind, kind) for kind in postings.KINDS])
    account = models.CharField(max_length=12, choices=[(name, name) for name in postings.ACCOUNTS])
    amount_micros = models.BigIntegerField()
    entries = models.PositiveBigIntegerField()

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "currency", "day", "kind", "account"], name="tenants_ledgerday_once"
            ),
        ]
        indexes = [models.Index(fields=["day"], name="tenants_ledgerday_by_day")]

    def __str__(self) -> str:
        return f"{self.amount_micros} to {self.account} on {self.day}"


class Budget(TenantOwned):
    """A monthly limit (UTC) of a tenant or one of its keys. One by the operator and one by the tenant both apply."""

    class By(models.TextChoices):
        OPERATOR = "operator"
        TENANT = "tenant", "the account"

    set_by = models.CharField(
        max_length=8, choices=By.choices, default=By.OPERATOR, db_default=By.OPERATOR.value, editable=False
    )
    api_key_id = models.UUIDField(
        null=True, blank=True, editable=False, help_text="Empty for the budget of the whole tenant."
    )
    currency = models.CharField(max_length=3)
    monthly_micros = models.PositiveBigIntegerField()
    month = models.DateField(editable=False, help_text="First day of the month that `used_micros` covers.")
    used_micros = models.BigIntegerField(default=0, editable=False)
    held_micros = models.BigIntegerField(default=0, editable=False)
    set_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "currency", "api_key_id", "set_by"],
                nulls_distinct=False,
                name="tenants_budget_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.monthly_micros} {self.currency} a month"

    @property
    def scope(self) -> str:
        return "key" if self.api_key_id else "tenant"


class BudgetAlert(TenantOwned):
    """A note that a certain share of a month's budget is used. It is written once and mailed to the people who pay."""

    budget = models.ForeignKey(
        Budget, on_delete=models.CASCADE, related_name="alerts", db_constraint=False, db_index=False
    )
    month = models.DateField()
    percent = models.PositiveSmallIntegerField()
    used_micros = models.BigIntegerField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    notified_at = models.DateTimeField(null=True, help_text="When the alert was mailed.")

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["budget", "month", "percent"], name="tenants_budgetalert_once"),
        ]

    def __str__(self) -> str:
        return f"{self.percent} % of {self.month:%Y-%m}"


class LedgerDifference(TenantOwned):
    """A difference between two records of the same money, for an operator to investigate. See docs/money.md."""

    compared = models.CharField(max_length=20)
    currency = models.CharField(max_length=3)
    subject = models.CharField(max_length=80, help_text="The job, wallet or day with the mismatch.")
    expected_micros = models.BigIntegerField()
    found_micros = models.BigIntegerField()
    found_at = models.DateTimeField(db_default=Now(), editable=False)
    resolved_at = models.DateTimeField(null=True, help_text="When the mismatch was resolved.")

    class Meta(TenantOwned.Meta):
        verbose_name = "ledger mismatch"
        verbose_name_plural = "ledger mismatches"
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "compared", "currency", "subject"],
                condition=models.Q(resolved_at=None),
                name="tenants_ledgerdifference_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.compared}: {self.subject}"
