import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.datetime
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import tenants.core.ids
from tenants.core.db.together import Together
from tenants.core.db.tenant_references import refer_within_tenant

# Rows that are written again and again stay on their own page.
OFTEN_WRITTEN = ("tenants_usageday", "tenants_wallet", "tenants_includedpool")
INDEXES = """
CREATE INDEX tenants_ledger_by_day ON tenants_ledgertransaction (tenant_id, currency, day) WHERE kind = 'charge';
CREATE INDEX tenants_ledger_open ON tenants_ledgertransaction (tenant_id, currency) WHERE kind = 'hold';
"""
REFERENCES = (
    ("tenants_apikey", "replaces_id", "tenants_apikey", "NO ACTION"),
    ("tenants_budgetalert", "budget_id", "tenants_budget", "CASCADE"),
    ("tenants_includedhold", "pool_id", "tenants_includedpool", "NO ACTION"),
    ("tenants_includeduse", "pool_id", "tenants_includedpool", "NO ACTION"),
    ("tenants_invoice", "corrects_id", "tenants_invoice", "NO ACTION"),
    ("tenants_invoiceline", "invoice_id", "tenants_invoice", "NO ACTION"),
    ("tenants_ledgerentry", "transaction_id", "tenants_ledgertransaction", "NO ACTION"),
    ("tenants_payment", "invoice_id", "tenants_invoice", "NO ACTION"),
    ("tenants_refund", "payment_id", "tenants_payment", "NO ACTION"),
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        Together(
            [
                migrations.CreateModel(
                    name="Tenant",
                    fields=[
                        (
                            "requests_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="requests per minute",
                            ),
                        ),
                        (
                            "tokens_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="tokens per minute",
                            ),
                        ),
                        (
                            "pages_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="pages per minute",
                            ),
                        ),
                        (
                            "calls_at_once",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000),
                                ],
                                verbose_name="concurrent calls",
                            ),
                        ),
                        (
                            "unfinished_jobs",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="unfinished jobs",
                            ),
                        ),
                        (
                            "unfinished_pages",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="unfinished pages",
                            ),
                        ),
                        (
                            "pages_at_once",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="concurrent pages",
                            ),
                        ),
                        (
                            "storage_mb",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="storage in MB",
                            ),
                        ),
                        (
                            "weight",
                            models.PositiveSmallIntegerField(
                                blank=True,
                                help_text="Share of the workers when several tenants wait: weight 3 gets three times as many pages as weight 1. Leave empty for the weight of the plan, or else 1.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "keep_documents_days",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: forever.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(36500),
                                ],
                                verbose_name="document retention in days",
                            ),
                        ),
                        (
                            "keep_results_days",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: forever.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(36500),
                                ],
                                verbose_name="result retention in days",
                            ),
                        ),
                        (
                            "keep_events_days",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: forever.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(36500),
                                ],
                                verbose_name="event retention in days",
                            ),
                        ),
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("name", models.CharField(max_length=200)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("active", "Active"),
                                    ("suspended", "Suspended"),
                                    ("closing", "Closing"),
                                    ("erasing", "Erasing"),
                                    ("erased", "Erased"),
                                ],
                                default="active",
                                max_length=12,
                            ),
                        ),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        (
                            "closes_at",
                            models.DateTimeField(
                                editable=False, help_text="When erasing the tenant starts.", null=True
                            ),
                        ),
                        (
                            "closing_notified_at",
                            models.DateTimeField(
                                editable=False,
                                help_text="When the owners were reminded of the erasure.",
                                null=True,
                            ),
                        ),
                        (
                            "suspended_closing",
                            models.BooleanField(
                                db_default=False,
                                default=False,
                                editable=False,
                                help_text="Whether the tenant is suspended until its deletion. Owners cannot cancel the deletion.",
                            ),
                        ),
                        (
                            "results_generation",
                            models.PositiveIntegerField(
                                default=0,
                                editable=False,
                                help_text="Increased when the cached results are erased, so that no older result is found.",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("weight__gte", 1)), name="tenants_tenant_has_weight"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="User",
                    fields=[
                        ("password", models.CharField(max_length=128, verbose_name="password")),
                        (
                            "last_login",
                            models.DateTimeField(blank=True, null=True, verbose_name="last login"),
                        ),
                        (
                            "is_superuser",
                            models.BooleanField(
                                default=False,
                                help_text="Designates that this user has all permissions without explicitly assigning them.",
                                verbose_name="superuser status",
                            ),
                        ),
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("email", models.EmailField(max_length=254, unique=True)),
                        ("name", models.CharField(blank=True, max_length=200)),
                        ("is_active", models.BooleanField(default=True)),
                        (
                            "is_staff",
                            models.BooleanField(
                                default=False, help_text="Can use the admin.", verbose_name="operator"
                            ),
                        ),
                        (
                            "date_joined",
                            models.DateTimeField(default=django.utils.timezone.now, editable=False),
                        ),
                        (
                            "groups",
                            models.ManyToManyField(
                                blank=True,
                                help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                                related_name="user_set",
                                related_query_name="user",
                                to="auth.group",
                                verbose_name="groups",
                            ),
                        ),
                        (
                            "user_permissions",
                            models.ManyToManyField(
                                blank=True,
                                help_text="Specific permissions for this user.",
                                related_name="user_set",
                                related_query_name="user",
                                to="auth.permission",
                                verbose_name="user permissions",
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                    },
                ),
                migrations.CreateModel(
                    name="Plan",
                    fields=[
                        (
                            "requests_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="requests per minute",
                            ),
                        ),
                        (
                            "tokens_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="tokens per minute",
                            ),
                        ),
                        (
                            "pages_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="pages per minute",
                            ),
                        ),
                        (
                            "calls_at_once",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000),
                                ],
                                verbose_name="concurrent calls",
                            ),
                        ),
                        (
                            "unfinished_jobs",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="unfinished jobs",
                            ),
                        ),
                        (
                            "unfinished_pages",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="unfinished pages",
                            ),
                        ),
                        (
                            "pages_at_once",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="concurrent pages",
                            ),
                        ),
                        (
                            "storage_mb",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="storage in MB",
                            ),
                        ),
                        (
                            "weight",
                            models.PositiveSmallIntegerField(
                                blank=True,
                                help_text="Share of the workers when several tenants wait: weight 3 gets three times as many pages as weight 1. Leave empty for the weight of the plan, or else 1.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "keep_documents_days",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: forever.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(36500),
                                ],
                                verbose_name="document retention in days",
                            ),
                        ),
                        (
                            "keep_results_days",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: forever.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(36500),
                                ],
                                verbose_name="result retention in days",
                            ),
                        ),
                        (
                            "keep_events_days",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: forever.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(36500),
                                ],
                                verbose_name="event retention in days",
                            ),
                        ),
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "code",
                            models.SlugField(
                                help_text="Used by programs. It cannot be changed later.", unique=True
                            ),
                        ),
                        ("name", models.CharField(max_length=100)),
                        (
                            "currency",
                            models.CharField(
                                default="EUR",
                                max_length=3,
                                validators=[
                                    django.core.validators.RegexValidator(
                                        "^[A-Z]{3}$", "Enter three capital letters, such as EUR."
                                    )
                                ],
                            ),
                        ),
                        (
                            "monthly_fee_micros",
                            models.PositiveBigIntegerField(default=0, verbose_name="monthly fee"),
                        ),
                        (
                            "trial_days",
                            models.PositiveSmallIntegerField(
                                default=0,
                                help_text="No fee during these days of the first subscription.",
                                verbose_name="trial days",
                            ),
                        ),
                        (
                            "trial_credit_micros",
                            models.PositiveBigIntegerField(
                                default=0,
                                help_text="Credited once, with the first subscription.",
                                verbose_name="trial credit",
                            ),
                        ),
                        (
                            "is_prepaid",
                            models.BooleanField(
                                db_default=False,
                                default=False,
                                help_text="New tenants on this plan are prepaid: jobs are rejected when units and balance are used up.",
                                verbose_name="prepaid",
                            ),
                        ),
                        (
                            "is_default",
                            models.BooleanField(
                                default=False,
                                help_text="New tenants get this plan.",
                                verbose_name="default for new tenants",
                            ),
                        ),
                        (
                            "archived",
                            models.BooleanField(
                                default=False,
                                help_text="Tenants keep the plan, but no other tenant can get it.",
                            ),
                        ),
                        (
                            "created_at",
                            models.DateTimeField(default=django.utils.timezone.now, editable=False),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("is_default", True)),
                                fields=("is_default",),
                                name="tenants_plan_one_default",
                                violation_error_message="Another plan is the default for new tenants. Remove the default there first.",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("archived", True), ("is_default", True), _negated=True),
                                name="tenants_plan_default_is_sold",
                                violation_error_message="An archived plan cannot be the default for new tenants.",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="NumberSeries",
                    fields=[
                        (
                            "name",
                            models.CharField(
                                help_text="For example INV-2026.",
                                max_length=20,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("last", models.PositiveIntegerField(default=0)),
                    ],
                ),
                migrations.CreateModel(
                    name="ProviderEvent",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("provider", models.CharField(max_length=20)),
                        ("event_id", models.CharField(max_length=200)),
                        ("kind", models.CharField(max_length=100)),
                        (
                            "received_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        ("handled_at", models.DateTimeField(null=True)),
                        ("outcome", models.CharField(blank=True, max_length=320)),
                    ],
                    options={
                        "verbose_name": "payment event",
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("provider", "event_id"), name="tenants_providerevent_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Seller",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("only", models.BooleanField(default=True, editable=False, unique=True)),
                        ("name", models.CharField(max_length=200)),
                        ("address", models.TextField(help_text="Printed line by line.", max_length=500)),
                        (
                            "country",
                            models.CharField(
                                max_length=2,
                                validators=[
                                    django.core.validators.RegexValidator(
                                        "^[A-Z]{2}$", "Two capital letters, for example DE."
                                    )
                                ],
                            ),
                        ),
                        ("tax_id", models.CharField(blank=True, max_length=50, verbose_name="tax ID")),
                        (
                            "email",
                            models.EmailField(
                                blank=True, help_text="Contact for questions about invoices.", max_length=254
                            ),
                        ),
                        (
                            "prefix",
                            models.CharField(
                                default="INV",
                                help_text="For example INV for INV-2026-000001.",
                                max_length=12,
                                validators=[
                                    django.core.validators.RegexValidator(
                                        "^[A-Z0-9][A-Z0-9-]{0,11}$",
                                        "Capital letters, digits and hyphens, 12 at most.",
                                    )
                                ],
                                verbose_name="invoice number prefix",
                            ),
                        ),
                        ("tax_name", models.CharField(default="VAT", max_length=20)),
                        (
                            "tax_rate_bp",
                            models.PositiveSmallIntegerField(
                                default=0,
                                help_text="In hundredths of a percent: 1900 is 19 %.",
                                validators=[django.core.validators.MaxValueValidator(10000)],
                                verbose_name="tax rate",
                            ),
                        ),
                        (
                            "payment_days",
                            models.PositiveSmallIntegerField(
                                default=14,
                                help_text="Days from the invoice date to the due date.",
                                validators=[django.core.validators.MaxValueValidator(365)],
                                verbose_name="payment term in days",
                            ),
                        ),
                        (
                            "bank_details",
                            models.TextField(
                                blank=True,
                                help_text="Account for bank transfers, such as IBAN and BIC.",
                                max_length=500,
                            ),
                        ),
                        ("footer", models.TextField(blank=True, max_length=500)),
                        (
                            "bills_from",
                            models.DateField(
                                help_text="First day of the first month to bill.",
                                verbose_name="billing starts",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "company details",
                        "verbose_name_plural": "company details",
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("only", True)), name="tenants_seller_one"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="AuditEntry",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "at",
                            models.DateTimeField(
                                db_default=django.contrib.postgres.functions.TransactionNow(), editable=False
                            ),
                        ),
                        (
                            "action",
                            models.CharField(
                                help_text="For example key.created.",
                                max_length=60,
                                verbose_name="action code",
                            ),
                        ),
                        (
                            "actor_kind",
                            models.CharField(
                                choices=[
                                    ("person", "person"),
                                    ("key", "key"),
                                    ("operator", "operator"),
                                    ("system", "system"),
                                ],
                                default="system",
                                max_length=10,
                            ),
                        ),
                        (
                            "actor_id",
                            models.UUIDField(
                                help_text="ID of the user, the API key or the operator.", null=True
                            ),
                        ),
                        (
                            "actor_name",
                            models.CharField(blank=True, help_text="Empty for operators.", max_length=254),
                        ),
                        (
                            "behalf_of",
                            models.CharField(
                                blank=True,
                                help_text="The member that the operator acted as.",
                                max_length=254,
                                verbose_name="on behalf of",
                            ),
                        ),
                        ("subject_id", models.CharField(blank=True, max_length=100)),
                        ("subject_name", models.CharField(blank=True, max_length=254)),
                        (
                            "changes",
                            models.JSONField(default=dict, help_text="Old and new value of each field."),
                        ),
                        ("note", models.CharField(blank=True, max_length=500)),
                        ("address", models.CharField(blank=True, max_length=45, verbose_name="IP address")),
                        ("user_agent", models.CharField(blank=True, max_length=400)),
                        ("request_id", models.CharField(blank=True, max_length=64)),
                    ],
                    options={
                        "verbose_name": "tenant audit entry",
                        "verbose_name_plural": "tenant audit entries",
                        "abstract": False,
                        "indexes": [
                            models.Index(fields=["actor_id", "id"], name="tenants_auditentry_actor"),
                            models.Index(fields=["subject_id", "id"], name="tenants_auditentry_subject"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="tenants_auditentry_tenant")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BillingDetails",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "name",
                            models.CharField(
                                help_text="Name of the paying company or person.", max_length=200
                            ),
                        ),
                        ("address", models.TextField(blank=True, max_length=500)),
                        (
                            "country",
                            models.CharField(
                                blank=True,
                                max_length=2,
                                validators=[
                                    django.core.validators.RegexValidator(
                                        "^[A-Z]{2}$", "Two capital letters, for example DE."
                                    )
                                ],
                            ),
                        ),
                        ("tax_id", models.CharField(blank=True, max_length=50, verbose_name="tax ID")),
                        (
                            "email",
                            models.EmailField(
                                blank=True,
                                help_text="Receives invoices in addition to owners and billing members.",
                                max_length=254,
                            ),
                        ),
                        (
                            "reference",
                            models.CharField(
                                blank=True,
                                help_text="Printed on each invoice, such as an order number.",
                                max_length=100,
                            ),
                        ),
                        (
                            "tax",
                            models.CharField(
                                choices=[
                                    ("standard", "standard rate"),
                                    ("reverse_charge", "reverse charge (paid by the customer)"),
                                    ("exempt", "exempt"),
                                ],
                                default="standard",
                                max_length=20,
                            ),
                        ),
                        (
                            "tax_rate_bp",
                            models.PositiveSmallIntegerField(
                                blank=True,
                                help_text="Leave empty for the rate in the company details.",
                                null=True,
                                validators=[django.core.validators.MaxValueValidator(10000)],
                                verbose_name="tax rate",
                            ),
                        ),
                        ("changed_at", models.DateTimeField(auto_now=True)),
                    ],
                    options={
                        "verbose_name_plural": "billing details",
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_billingdetails_tenant"
                            ),
                            models.UniqueConstraint(fields=("tenant",), name="tenants_billingdetails_once"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Budget",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "set_by",
                            models.CharField(
                                choices=[("operator", "Operator"), ("tenant", "the account")],
                                db_default="operator",
                                default="operator",
                                editable=False,
                                max_length=8,
                            ),
                        ),
                        (
                            "api_key_id",
                            models.UUIDField(
                                blank=True,
                                editable=False,
                                help_text="Empty for the budget of the whole tenant.",
                                null=True,
                            ),
                        ),
                        ("currency", models.CharField(max_length=3)),
                        ("monthly_micros", models.PositiveBigIntegerField()),
                        (
                            "month",
                            models.DateField(
                                editable=False, help_text="First day of the month that `used_micros` covers."
                            ),
                        ),
                        ("used_micros", models.BigIntegerField(default=0, editable=False)),
                        ("held_micros", models.BigIntegerField(default=0, editable=False)),
                        (
                            "set_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="tenants_budget_tenant"),
                            models.UniqueConstraint(
                                fields=("tenant", "currency", "api_key_id", "set_by"),
                                name="tenants_budget_once",
                                nulls_distinct=False,
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ClosedMonth",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("month", models.DateField()),
                        (
                            "records",
                            models.BigIntegerField(
                                default=0, help_text="Number of usage records at the last check."
                            ),
                        ),
                        (
                            "closed_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_closedmonth_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("tenant", "month"), name="tenants_closedmonth_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IncludedPool",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "since",
                            models.DateTimeField(help_text="Start of the month, or of the plan within it."),
                        ),
                        ("model", models.CharField(help_text="Empty for all models.", max_length=100)),
                        ("meter", models.CharField(max_length=10)),
                        ("granted", models.PositiveBigIntegerField()),
                        ("used", models.PositiveBigIntegerField(default=0)),
                        ("held", models.PositiveBigIntegerField(default=0)),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_includedpool_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("tenant", "since", "model", "meter"), name="tenants_includedpool_once"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "granted__gte",
                                        django.db.models.expressions.CombinedExpression(
                                            models.F("used"), "+", models.F("held")
                                        ),
                                    )
                                ),
                                name="tenants_includedpool_has_them",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Invoice",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[("invoice", "Invoice"), ("credit_note", "Credit Note")],
                                default="invoice",
                                max_length=12,
                            ),
                        ),
                        ("series", models.CharField(max_length=20)),
                        ("sequence", models.PositiveIntegerField()),
                        ("number", models.CharField(max_length=40, unique=True)),
                        (
                            "corrects",
                            models.ForeignKey(
                                db_constraint=False,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="credit_notes",
                                to="tenants.invoice",
                            ),
                        ),
                        ("reason", models.CharField(blank=True, max_length=200)),
                        ("currency", models.CharField(max_length=3)),
                        ("month", models.DateField(help_text="First day of the billed month.")),
                        ("period_start", models.DateTimeField()),
                        ("period_end", models.DateTimeField()),
                        ("issued_on", models.DateField()),
                        ("due_on", models.DateField()),
                        ("seller", models.JSONField()),
                        ("buyer", models.JSONField()),
                        ("lines_count", models.PositiveIntegerField()),
                        ("net_micros", models.BigIntegerField()),
                        ("tax_name", models.CharField(max_length=20)),
                        ("tax_rate_bp", models.PositiveSmallIntegerField(default=0)),
                        ("tax_note", models.CharField(blank=True, max_length=200)),
                        ("tax_micros", models.BigIntegerField()),
                        ("total_micros", models.BigIntegerField()),
                        (
                            "due_micros",
                            models.BigIntegerField(help_text="Amount not covered by the balance at issue."),
                        ),
                        ("paid_micros", models.BigIntegerField(default=0)),
                        (
                            "credited_micros",
                            models.BigIntegerField(
                                default=0, help_text="Part of the due amount that credit notes canceled."
                            ),
                        ),
                        ("written_off_micros", models.BigIntegerField(default=0)),
                        (
                            "status",
                            models.CharField(
                                choices=[("open", "Open"), ("paid", "Paid"), ("written_off", "written off")],
                                default="open",
                                max_length=12,
                            ),
                        ),
                        ("paid_at", models.DateTimeField(null=True)),
                        ("made_by", models.CharField(blank=True, max_length=254)),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        (
                            "notified_at",
                            models.DateTimeField(
                                help_text="When the invoice was mailed.", null=True, verbose_name="mailed at"
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(
                                fields=["tenant", "-issued_on", "-id"], name="tenants_invoice_newest"
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="tenants_invoice_tenant"),
                            models.UniqueConstraint(
                                fields=("series", "sequence"), name="tenants_invoice_numbered_once"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "total_micros",
                                        django.db.models.expressions.CombinedExpression(
                                            models.F("net_micros"), "+", models.F("tax_micros")
                                        ),
                                    )
                                ),
                                name="tenants_invoice_adds_up",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "due_micros__gte",
                                        django.db.models.expressions.CombinedExpression(
                                            django.db.models.expressions.CombinedExpression(
                                                models.F("paid_micros"), "+", models.F("credited_micros")
                                            ),
                                            "+",
                                            models.F("written_off_micros"),
                                        ),
                                    ),
                                    ("due_micros__lte", models.F("total_micros")),
                                ),
                                name="tenants_invoice_not_overpaid",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="LedgerDifference",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("compared", models.CharField(max_length=20)),
                        ("currency", models.CharField(max_length=3)),
                        (
                            "subject",
                            models.CharField(
                                help_text="The job, wallet or day with the mismatch.", max_length=80
                            ),
                        ),
                        ("expected_micros", models.BigIntegerField()),
                        ("found_micros", models.BigIntegerField()),
                        (
                            "found_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        (
                            "resolved_at",
                            models.DateTimeField(help_text="When the mismatch was resolved.", null=True),
                        ),
                    ],
                    options={
                        "verbose_name": "ledger mismatch",
                        "verbose_name_plural": "ledger mismatches",
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_ledgerdifference_tenant"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("resolved_at", None)),
                                fields=("tenant", "compared", "currency", "subject"),
                                name="tenants_ledgerdifference_once",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="LedgerTransaction",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("hold", "hold"),
                                    ("charge", "charge"),
                                    ("release", "release"),
                                    ("grant", "grant"),
                                    ("bill", "bill"),
                                    ("correction", "correction"),
                                    ("payment", "payment"),
                                    ("refund", "refund"),
                                    ("write_off", "write_off"),
                                ],
                                max_length=10,
                            ),
                        ),
                        ("source_kind", models.CharField(max_length=20)),
                        ("source_id", models.UUIDField()),
                        ("currency", models.CharField(max_length=3)),
                        (
                            "day",
                            models.DateField(help_text="The day that the transaction belongs to, in UTC."),
                        ),
                        ("api_key_id", models.UUIDField(null=True)),
                        ("reason", models.CharField(blank=True, max_length=200)),
                        (
                            "made_by",
                            models.CharField(
                                blank=True,
                                help_text="The operator who created the transaction.",
                                max_length=254,
                            ),
                        ),
                        (
                            "earlier",
                            models.JSONField(
                                editable=False,
                                help_text="Charges only: amounts for work of earlier months, by month.",
                                null=True,
                            ),
                        ),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_ledgertransaction_tenant"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("kind__in", ["hold", "grant"])),
                                fields=("tenant", "source_kind", "source_id"),
                                name="tenants_ledger_one_hold",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("kind__in", ["charge", "release"])),
                                fields=("tenant", "source_kind", "source_id"),
                                name="tenants_ledger_one_settlement",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(
                                    ("kind__in", ("bill", "correction", "payment", "refund", "write_off"))
                                ),
                                fields=("tenant", "source_kind", "source_id", "kind"),
                                name="tenants_ledger_one_each",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ModelLimit",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "model",
                            models.CharField(
                                help_text="Model name, such as embed. All versions count together.",
                                max_length=100,
                            ),
                        ),
                        (
                            "requests_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for no limit besides the limit of the account.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="requests per minute",
                            ),
                        ),
                        (
                            "tokens_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for no limit besides the limit of the account.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="tokens per minute",
                            ),
                        ),
                        (
                            "pages_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for no limit besides the limit of the account.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="pages per minute",
                            ),
                        ),
                        (
                            "calls_at_once",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for no limit besides the limit of the account.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(100000),
                                ],
                                verbose_name="concurrent calls",
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_modellimit_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("tenant", "model"), name="tenants_modellimit_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ProviderCustomer",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("provider", models.CharField(max_length=20)),
                        ("customer_id", models.CharField(max_length=200)),
                        ("method_id", models.CharField(blank=True, max_length=200)),
                        (
                            "method_text",
                            models.CharField(
                                blank=True, help_text="For example visa •••• 4242, 12/30.", max_length=100
                            ),
                        ),
                        (
                            "pays_invoices",
                            models.BooleanField(
                                default=False,
                                help_text="Whether invoices are charged to this card when they are issued.",
                            ),
                        ),
                        ("saved_at", models.DateTimeField(help_text="When the card was saved.", null=True)),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_providercustomer_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("tenant", "provider"), name="tenants_providercustomer_once"
                            ),
                            models.UniqueConstraint(
                                fields=("provider", "customer_id"), name="tenants_providercustomer_one_tenant"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="StoredBytes",
                    fields=[
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("size_bytes", models.BigIntegerField(help_text="Negative if data was erased.")),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_storedbytes_tenant"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TenantPrice",
                    fields=[
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "model",
                            models.CharField(
                                blank=True,
                                help_text="Model name, such as ocr. Leave empty for all models.",
                                max_length=100,
                            ),
                        ),
                        (
                            "meter",
                            models.CharField(
                                choices=[
                                    ("page", "page"),
                                    ("token", "token"),
                                    ("call", "call"),
                                    ("gpu_second", "GPU second"),
                                ],
                                max_length=10,
                            ),
                        ),
                        (
                            "valid_from",
                            models.DateTimeField(
                                blank=True, help_text="UTC. Leave empty for now.", verbose_name="valid from"
                            ),
                        ),
                        (
                            "amount_micros",
                            models.PositiveBigIntegerField(
                                blank=True,
                                help_text="Leave empty to end this price at that time. The plan price or the model price applies then.",
                                null=True,
                                verbose_name="amount",
                            ),
                        ),
                        (
                            "per",
                            models.PositiveIntegerField(
                                default=1,
                                help_text="GPU time is in milliseconds: 1000 means per second.",
                                validators=[django.core.validators.MinValueValidator(1)],
                                verbose_name="per units",
                            ),
                        ),
                        (
                            "cached_micros",
                            models.PositiveBigIntegerField(
                                blank=True,
                                help_text="Leave empty for the same amount.",
                                null=True,
                                verbose_name="amount per cache hit",
                            ),
                        ),
                        (
                            "currency",
                            models.CharField(
                                default="EUR",
                                max_length=3,
                                validators=[
                                    django.core.validators.RegexValidator(
                                        "^[A-Z]{3}$", "Enter three capital letters, such as EUR."
                                    )
                                ],
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["model", "meter", "valid_from"],
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_tenantprice_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("tenant", "model", "meter", "valid_from"),
                                name="tenants_tenantprice_once",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="UsageDay",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("day", models.DateField()),
                        ("model", models.CharField(max_length=100)),
                        ("meter", models.CharField(max_length=20)),
                        ("currency", models.CharField(max_length=3)),
                        ("livemode", models.BooleanField()),
                        ("key_id", models.UUIDField(null=True)),
                        ("cached", models.BooleanField(db_default=False, default=False)),
                        ("shard", models.PositiveSmallIntegerField()),
                        ("quantity", models.PositiveBigIntegerField()),
                        ("amount_micros", models.BigIntegerField()),
                        ("saved_micros", models.BigIntegerField(db_default=0, default=0)),
                        ("records", models.PositiveBigIntegerField()),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(
                                condition=models.Q(("shard__lt", 50)),
                                fields=["day", "tenant"],
                                name="tenants_usageday_not_settled",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="tenants_usageday_tenant"),
                            models.UniqueConstraint(
                                fields=(
                                    "tenant",
                                    "day",
                                    "model",
                                    "meter",
                                    "currency",
                                    "livemode",
                                    "key_id",
                                    "cached",
                                    "shard",
                                ),
                                name="tenants_usageday_once_each",
                                nulls_distinct=False,
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="UsageMonth",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("month", models.DateField(help_text="First day of the month.")),
                        ("model", models.CharField(max_length=100)),
                        ("meter", models.CharField(max_length=20)),
                        ("currency", models.CharField(max_length=3)),
                        ("livemode", models.BooleanField()),
                        ("key_id", models.UUIDField(null=True)),
                        ("cached", models.BooleanField()),
                        ("quantity", models.PositiveBigIntegerField()),
                        ("amount_micros", models.BigIntegerField()),
                        ("saved_micros", models.BigIntegerField()),
                        ("records", models.PositiveBigIntegerField()),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_usagemonth_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=(
                                    "tenant",
                                    "month",
                                    "model",
                                    "meter",
                                    "currency",
                                    "livemode",
                                    "key_id",
                                    "cached",
                                ),
                                name="tenants_usagemonth_once_each",
                                nulls_distinct=False,
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="UsageRecord",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("source_kind", models.CharField(max_length=20)),
                        ("source_id", models.UUIDField()),
                        ("meter", models.CharField(max_length=20)),
                        ("model", models.CharField(max_length=100)),
                        ("version", models.PositiveIntegerField()),
                        ("quantity", models.PositiveBigIntegerField()),
                        ("price", models.JSONField(help_text="Price when the work was accepted.")),
                        ("amount_micros", models.BigIntegerField()),
                        ("currency", models.CharField(max_length=3)),
                        ("livemode", models.BooleanField(default=True)),
                        (
                            "key_id",
                            models.UUIDField(
                                editable=False,
                                help_text="The API key that was used. Empty for users and for old records.",
                                null=True,
                            ),
                        ),
                        (
                            "cached",
                            models.BooleanField(
                                db_default=False,
                                default=False,
                                help_text="Whether the result came from the cache.",
                            ),
                        ),
                        (
                            "saved_micros",
                            models.BigIntegerField(
                                db_default=0, default=0, help_text="Amount saved compared with a run."
                            ),
                        ),
                        (
                            "created_at",
                            models.DateTimeField(default=django.utils.timezone.now, editable=False),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(fields=["tenant", "created_at"], name="tenants_usage_by_time")
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_usagerecord_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("tenant", "source_kind", "source_id", "meter"),
                                name="tenants_usagerecord_once",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="UsageTotal",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("day", models.DateField()),
                        ("model", models.CharField(max_length=100)),
                        ("meter", models.CharField(max_length=20)),
                        ("currency", models.CharField(max_length=3)),
                        ("livemode", models.BooleanField()),
                        ("cached", models.BooleanField()),
                        ("quantity", models.PositiveBigIntegerField()),
                        ("amount_micros", models.BigIntegerField()),
                        ("saved_micros", models.BigIntegerField()),
                        ("records", models.PositiveBigIntegerField()),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_usagetotal_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("tenant", "day", "model", "meter", "currency", "livemode", "cached"),
                                name="tenants_usagetotal_once_each",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Wallet",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("currency", models.CharField(max_length=3)),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("prepaid", "prepaid: jobs are rejected when the balance is used up"),
                                    ("invoiced", "invoiced: usage is billed monthly"),
                                ],
                                default="invoiced",
                                max_length=8,
                            ),
                        ),
                        (
                            "credit_line_micros",
                            models.PositiveBigIntegerField(
                                default=0,
                                help_text="How far below 0 a prepaid balance may go, in millionths.",
                            ),
                        ),
                        ("available_micros", models.BigIntegerField(default=0, editable=False)),
                        ("held_micros", models.BigIntegerField(default=0, editable=False)),
                        (
                            "opened_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="tenants_wallet_tenant"),
                            models.UniqueConstraint(
                                fields=("tenant", "currency"), name="tenants_wallet_once"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("held_micros__gte", 0)),
                                name="tenants_wallet_holds_no_debt",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ApiKey",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("public_id", models.CharField(editable=False, max_length=12, unique=True)),
                        ("secret_hash", models.CharField(editable=False, max_length=64)),
                        ("name", models.CharField(max_length=100)),
                        ("livemode", models.BooleanField(default=True, editable=False)),
                        (
                            "scopes",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=40), default=list, size=None
                            ),
                        ),
                        (
                            "created_at",
                            models.DateTimeField(default=django.utils.timezone.now, editable=False),
                        ),
                        ("expires_at", models.DateTimeField(blank=True, null=True)),
                        ("revoked_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "last_used_at",
                            models.DateTimeField(
                                editable=False, help_text="Accurate to one minute.", null=True
                            ),
                        ),
                        (
                            "created_by",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "last_used_from",
                            models.CharField(
                                blank=True, db_default="", default="", editable=False, max_length=45
                            ),
                        ),
                        (
                            "allowed_models",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=100),
                                blank=True,
                                db_default=[],
                                default=list,
                                help_text="Models that the key may use, separated by commas. Leave empty for all models.",
                                size=None,
                            ),
                        ),
                        (
                            "allowed_networks",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=43),
                                blank=True,
                                db_default=[],
                                default=list,
                                help_text="Networks that may use the key, such as 203.0.113.0/24, separated by commas. Leave empty for all.",
                                size=None,
                            ),
                        ),
                        (
                            "replaces",
                            models.ForeignKey(
                                editable=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="replaced_by",
                                to="tenants.apikey",
                            ),
                        ),
                        ("budgets_of", models.UUIDField(editable=False, null=True)),
                        (
                            "requests_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for no limit besides the limit of the account.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="requests per minute",
                            ),
                        ),
                        (
                            "tokens_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for no limit besides the limit of the account.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="tokens per minute",
                            ),
                        ),
                        (
                            "pages_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for no limit besides the limit of the account.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="pages per minute",
                            ),
                        ),
                        (
                            "calls_at_once",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for no limit besides the limit of the account.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(100000),
                                ],
                                verbose_name="concurrent calls",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "API key",
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="tenants_apikey_tenant")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Invitation",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("email", models.EmailField(max_length=254)),
                        (
                            "role",
                            models.CharField(
                                choices=[
                                    ("owner", "Owner"),
                                    ("admin", "Admin"),
                                    ("developer", "Developer"),
                                    ("billing", "Billing"),
                                    ("viewer", "Viewer"),
                                ],
                                max_length=12,
                            ),
                        ),
                        ("serial", models.PositiveIntegerField(default=1, editable=False)),
                        (
                            "created_at",
                            models.DateTimeField(default=django.utils.timezone.now, editable=False),
                        ),
                        ("expires_at", models.DateTimeField()),
                        ("accepted_at", models.DateTimeField(editable=False, null=True)),
                        ("revoked_at", models.DateTimeField(editable=False, null=True)),
                        (
                            "invited_by",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "accepted_by",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_invitation_tenant"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("accepted_at", None), ("revoked_at", None)),
                                fields=("tenant", "email"),
                                name="tenants_invitation_open_once",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Membership",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="memberships",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "role",
                            models.CharField(
                                choices=[
                                    ("owner", "Owner"),
                                    ("admin", "Admin"),
                                    ("developer", "Developer"),
                                    ("billing", "Billing"),
                                    ("viewer", "Viewer"),
                                ],
                                default="developer",
                                max_length=12,
                            ),
                        ),
                        (
                            "created_at",
                            models.DateTimeField(default=django.utils.timezone.now, editable=False),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_membership_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("tenant", "user"), name="tenants_membership_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ChosenLimits",
                    fields=[
                        (
                            "requests_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="requests per minute",
                            ),
                        ),
                        (
                            "tokens_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="tokens per minute",
                            ),
                        ),
                        (
                            "pages_per_minute",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="pages per minute",
                            ),
                        ),
                        (
                            "calls_at_once",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000),
                                ],
                                verbose_name="concurrent calls",
                            ),
                        ),
                        (
                            "unfinished_jobs",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="unfinished jobs",
                            ),
                        ),
                        (
                            "unfinished_pages",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="unfinished pages",
                            ),
                        ),
                        (
                            "pages_at_once",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="concurrent pages",
                            ),
                        ),
                        (
                            "storage_mb",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: unlimited.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(100000000),
                                ],
                                verbose_name="storage in MB",
                            ),
                        ),
                        (
                            "weight",
                            models.PositiveSmallIntegerField(
                                blank=True,
                                help_text="Share of the workers when several tenants wait: weight 3 gets three times as many pages as weight 1. Leave empty for the weight of the plan, or else 1.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "keep_documents_days",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: forever.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(36500),
                                ],
                                verbose_name="document retention in days",
                            ),
                        ),
                        (
                            "keep_results_days",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: forever.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(36500),
                                ],
                                verbose_name="result retention in days",
                            ),
                        ),
                        (
                            "keep_events_days",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Leave empty for the limit of the plan, or else the installation. 0: forever.",
                                null=True,
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(36500),
                                ],
                                verbose_name="event retention in days",
                            ),
                        ),
                        (
                            "tenant",
                            models.OneToOneField(
                                db_column="id",
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                primary_key=True,
                                related_name="chosen_limits",
                                serialize=False,
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "plan",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                related_name="+",
                                to="tenants.plan",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "tenants_chosenlimits",
                        "managed": False,
                    },
                ),
                migrations.CreateModel(
                    name="PlanIncluded",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "model",
                            models.CharField(
                                blank=True,
                                help_text="Model name, such as ocr. Leave empty for all models.",
                                max_length=100,
                            ),
                        ),
                        (
                            "meter",
                            models.CharField(
                                choices=[
                                    ("page", "page"),
                                    ("token", "token"),
                                    ("call", "call"),
                                    ("gpu_second", "GPU second"),
                                ],
                                max_length=10,
                            ),
                        ),
                        (
                            "valid_from",
                            models.DateTimeField(
                                blank=True, help_text="UTC. Leave empty for now.", verbose_name="valid from"
                            ),
                        ),
                        (
                            "plan",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="included",
                                to="tenants.plan",
                            ),
                        ),
                        (
                            "quantity",
                            models.PositiveBigIntegerField(
                                help_text="Units per month. GPU time is in milliseconds. 0: no units from that time on."
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["model", "meter", "valid_from"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("plan", "model", "meter", "valid_from"),
                                name="tenants_planincluded_once",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PlanPrice",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "model",
                            models.CharField(
                                blank=True,
                                help_text="Model name, such as ocr. Leave empty for all models.",
                                max_length=100,
                            ),
                        ),
                        (
                            "meter",
                            models.CharField(
                                choices=[
                                    ("page", "page"),
                                    ("token", "token"),
                                    ("call", "call"),
                                    ("gpu_second", "GPU second"),
                                ],
                                max_length=10,
                            ),
                        ),
                        (
                            "valid_from",
                            models.DateTimeField(
                                blank=True, help_text="UTC. Leave empty for now.", verbose_name="valid from"
                            ),
                        ),
                        (
                            "amount_micros",
                            models.PositiveBigIntegerField(
                                blank=True,
                                help_text="Leave empty to end this price at that time. The plan price or the model price applies then.",
                                null=True,
                                verbose_name="amount",
                            ),
                        ),
                        (
                            "per",
                            models.PositiveIntegerField(
                                default=1,
                                help_text="GPU time is in milliseconds: 1000 means per second.",
                                validators=[django.core.validators.MinValueValidator(1)],
                                verbose_name="per units",
                            ),
                        ),
                        (
                            "cached_micros",
                            models.PositiveBigIntegerField(
                                blank=True,
                                help_text="Leave empty for the same amount.",
                                null=True,
                                verbose_name="amount per cache hit",
                            ),
                        ),
                        (
                            "plan",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="prices",
                                to="tenants.plan",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["model", "meter", "valid_from"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("plan", "model", "meter", "valid_from"), name="tenants_planprice_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Subscription",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "plan",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.plan",
                            ),
                        ),
                        ("starts_at", models.DateTimeField()),
                        ("trial_ends_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "created_at",
                            models.DateTimeField(default=django.utils.timezone.now, editable=False),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_subscription_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("tenant", "starts_at"), name="tenants_subscription_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BudgetAlert",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "budget",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="alerts",
                                to="tenants.budget",
                            ),
                        ),
                        ("month", models.DateField()),
                        ("percent", models.PositiveSmallIntegerField()),
                        ("used_micros", models.BigIntegerField()),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        ("notified_at", models.DateTimeField(help_text="When the alert was mailed.", null=True)),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_budgetalert_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("budget", "month", "percent"), name="tenants_budgetalert_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IncludedHold",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "pool",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="holds",
                                to="tenants.includedpool",
                            ),
                        ),
                        ("source_kind", models.CharField(max_length=20)),
                        ("source_id", models.UUIDField()),
                        ("quantity", models.PositiveBigIntegerField()),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_includedhold_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("tenant", "source_kind", "source_id", "pool"),
                                name="tenants_includedhold_once",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IncludedUse",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "pool",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="uses",
                                to="tenants.includedpool",
                            ),
                        ),
                        ("source_kind", models.CharField(max_length=20)),
                        ("source_id", models.UUIDField()),
                        (
                            "month",
                            models.DateField(
                                help_text="First day of the month in which the units were used."
                            ),
                        ),
                        ("day", models.DateField(help_text="The day of the settlement, in UTC.")),
                        ("model", models.CharField(max_length=100)),
                        ("cached", models.BooleanField()),
                        ("price", models.JSONField()),
                        ("quantity", models.PositiveBigIntegerField()),
                        (
                            "saved_micros",
                            models.PositiveBigIntegerField(help_text="Amount that was not charged."),
                        ),
                        ("currency", models.CharField(max_length=3)),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(fields=["tenant", "month"], name="tenants_includeduse_by_month")
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_includeduse_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=(
                                    "tenant",
                                    "source_kind",
                                    "source_id",
                                    "pool",
                                    "month",
                                    "model",
                                    "cached",
                                    "price",
                                ),
                                name="tenants_includeduse_once",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="InvoiceLine",
                    fields=[
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        (
                            "invoice",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="lines",
                                to="tenants.invoice",
                            ),
                        ),
                        ("position", models.PositiveIntegerField()),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("fee", "Fee"),
                                    ("usage", "Usage"),
                                    ("uncollected", "not collected"),
                                    ("correction", "Correction"),
                                ],
                                max_length=12,
                            ),
                        ),
                        (
                            "month",
                            models.DateField(help_text="First day of the month that the line belongs to."),
                        ),
                        (
                            "recorded_late",
                            models.BooleanField(
                                default=False, help_text="Belongs to a month that was billed earlier."
                            ),
                        ),
                        ("text", models.CharField(max_length=320)),
                        ("plan_id", models.UUIDField(help_text="Plan of a fee.", null=True)),
                        ("model", models.CharField(blank=True, max_length=100)),
                        ("cached", models.BooleanField(default=False)),
                        ("price", models.JSONField(null=True)),
                        ("quantity", models.BigIntegerField(default=0)),
                        ("included", models.BigIntegerField(default=0)),
                        ("exact_micros", models.BigIntegerField()),
                        (
                            "amount_micros",
                            models.BigIntegerField(help_text="Rounded to the smallest unit of the currency."),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(fields=["tenant", "month"], name="tenants_invoiceline_by_month")
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_invoiceline_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("invoice", "position"), name="tenants_invoiceline_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Payment",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("provider", models.CharField(max_length=20)),
                        (
                            "purpose",
                            models.CharField(
                                choices=[("invoice", "Invoice"), ("top_up", "credit")], max_length=10
                            ),
                        ),
                        (
                            "invoice",
                            models.ForeignKey(
                                blank=True,
                                db_constraint=False,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="payments",
                                to="tenants.invoice",
                            ),
                        ),
                        ("currency", models.CharField(max_length=3)),
                        ("amount_micros", models.PositiveBigIntegerField()),
                        ("refunded_micros", models.PositiveBigIntegerField(default=0)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("pending", "Pending"),
                                    ("succeeded", "Succeeded"),
                                    ("failed", "Failed"),
                                    ("canceled", "Canceled"),
                                ],
                                default="pending",
                                max_length=10,
                            ),
                        ),
                        (
                            "reference",
                            models.CharField(
                                help_text="Payment reference for a bank transfer.", max_length=40
                            ),
                        ),
                        (
                            "provider_id",
                            models.CharField(blank=True, help_text="ID at the provider.", max_length=200),
                        ),
                        ("failure", models.CharField(blank=True, max_length=200)),
                        ("made_by", models.CharField(blank=True, max_length=254)),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        ("succeeded_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "once",
                            models.UUIDField(
                                editable=False,
                                help_text="ID of the form, so that sending it twice makes one payment.",
                                null=True,
                            ),
                        ),
                        (
                            "automatic",
                            models.BooleanField(
                                default=False, help_text="Charged automatically to a saved card."
                            ),
                        ),
                        (
                            "method_id",
                            models.CharField(
                                blank=True, help_text="ID of the saved card at the provider.", max_length=200
                            ),
                        ),
                        (
                            "checkout_id",
                            models.CharField(
                                blank=True,
                                help_text="ID of the checkout page at the provider.",
                                max_length=200,
                            ),
                        ),
                        ("checkout_url", models.TextField(blank=True)),
                        (
                            "requested_at",
                            models.DateTimeField(
                                help_text="When it was first requested from the provider.", null=True
                            ),
                        ),
                        (
                            "checked_at",
                            models.DateTimeField(
                                help_text="When the status was last checked at the provider.", null=True
                            ),
                        ),
                        (
                            "failure_notified_at",
                            models.DateTimeField(help_text="When the failure was mailed.", null=True),
                        ),
                        (
                            "invoice_micros",
                            models.PositiveBigIntegerField(
                                default=0, help_text="Part used for the invoice. The rest is account credit."
                            ),
                        ),
                        (
                            "reopened_micros",
                            models.PositiveBigIntegerField(
                                default=0,
                                help_text="Part of the invoice amount that is due again after refunds.",
                            ),
                        ),
                        (
                            "reported_micros",
                            models.BigIntegerField(
                                help_text="Amount reported by the provider, if it differs.", null=True
                            ),
                        ),
                        ("reported_currency", models.CharField(blank=True, max_length=3)),
                        (
                            "reported_id",
                            models.CharField(
                                blank=True,
                                db_default="",
                                editable=False,
                                help_text="ID of the reported payment at the provider.",
                                max_length=200,
                            ),
                        ),
                        (
                            "cleared_micros",
                            models.BigIntegerField(
                                help_text="Reported amount that an operator has checked. It is not reported again.",
                                null=True,
                            ),
                        ),
                        (
                            "cleared_currency",
                            models.CharField(blank=True, db_default="", editable=False, max_length=3),
                        ),
                        (
                            "cleared_id",
                            models.CharField(blank=True, db_default="", editable=False, max_length=200),
                        ),
                        (
                            "dispute",
                            models.CharField(
                                blank=True, help_text="Status of a dispute by the payer.", max_length=40
                            ),
                        ),
                        (
                            "dispute_id",
                            models.CharField(
                                blank=True,
                                db_default="",
                                help_text="ID of the dispute at the provider.",
                                max_length=100,
                            ),
                        ),
                        ("note", models.CharField(blank=True, max_length=200)),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(fields=["tenant", "-created_at"], name="tenants_payment_newest"),
                            models.Index(
                                condition=models.Q(("status", "pending")),
                                fields=["created_at"],
                                name="tenants_payment_pending",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="tenants_payment_tenant"),
                            models.UniqueConstraint(
                                fields=("tenant", "once"), name="tenants_payment_asked_once"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("checkout_id", ""), _negated=True),
                                fields=("provider", "checkout_id"),
                                name="tenants_payment_one_checkout",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("invoice_micros__lte", models.F("amount_micros")),
                                    ("reopened_micros__lte", models.F("invoice_micros")),
                                ),
                                name="tenants_payment_takes_what_came",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("provider_id", ""), _negated=True),
                                fields=("provider", "provider_id"),
                                name="tenants_payment_of_provider_once",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("refunded_micros__lte", models.F("amount_micros"))),
                                name="tenants_payment_not_refunded_twice",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="LedgerEntry",
                    fields=[
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        (
                            "transaction",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="entries",
                                to="tenants.ledgertransaction",
                            ),
                        ),
                        (
                            "account",
                            models.CharField(
                                choices=[
                                    ("credit", "credit"),
                                    ("held", "held"),
                                    ("revenue", "revenue"),
                                    ("grants", "grants"),
                                    ("uncollected", "uncollected"),
                                    ("receivable", "receivable"),
                                    ("payments", "payments"),
                                    ("tax", "tax"),
                                ],
                                max_length=12,
                            ),
                        ),
                        ("amount_micros", models.BigIntegerField()),
                        ("currency", models.CharField(max_length=3)),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="tenants_ledgerentry_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("transaction", "account"), name="tenants_ledgerentry_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Refund",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=tenants.core.ids.uuid7,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "payment",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="refunds",
                                to="tenants.payment",
                            ),
                        ),
                        ("amount_micros", models.PositiveBigIntegerField()),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("pending", "Pending"),
                                    ("succeeded", "Succeeded"),
                                    ("failed", "Failed"),
                                    ("canceled", "Canceled"),
                                ],
                                default="pending",
                                max_length=10,
                            ),
                        ),
                        ("provider_id", models.CharField(blank=True, max_length=200)),
                        ("reason", models.CharField(blank=True, max_length=200)),
                        ("made_by", models.CharField(blank=True, max_length=254)),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        (
                            "once",
                            models.UUIDField(
                                editable=False,
                                help_text="ID of the form, so that sending it twice makes one refund.",
                                null=True,
                            ),
                        ),
                        (
                            "owed_again",
                            models.BooleanField(
                                default=False,
                                help_text="On: the invoice is due again. Off: the refund is deducted from the account credit.",
                            ),
                        ),
                        ("reopened_micros", models.PositiveBigIntegerField(default=0)),
                        (
                            "requested_at",
                            models.DateTimeField(
                                help_text="When it was first requested from the provider.", null=True
                            ),
                        ),
                        ("checked_at", models.DateTimeField(null=True)),
                        ("failure", models.CharField(blank=True, max_length=200)),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="tenants_refund_tenant"),
                            models.UniqueConstraint(
                                fields=("tenant", "once"), name="tenants_refund_asked_once"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("provider_id", ""), _negated=True),
                                fields=("payment", "provider_id"),
                                name="tenants_refund_of_provider_once",
                            ),
                        ],
                    },
                ),
            ]
        ),
        migrations.RunSQL("".join(f"ALTER TABLE {table} SET (fillfactor = 50);" for table in OFTEN_WRITTEN)),
        migrations.RunSQL(INDEXES),
        refer_within_tenant(REFERENCES),
    ]
