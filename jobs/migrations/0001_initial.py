import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.db import migrations, models

import tenants.core.ids
from tenants.core.db.together import Together
from tenants.core.db.tenant_references import refer_within_tenant

# What Django has no words for. The columns `xid` and `last_xid` order events by the transactions that wrote them, and
# only `jobs/events` reads and writes them; `jobs_fencing_token` numbers the claims of pages.
MORE = """
CREATE SEQUENCE jobs_fencing_token;
ALTER TABLE jobs_event ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX jobs_event_cursor ON jobs_event (tenant_id, xid, id);
ALTER TABLE jobs_job ADD COLUMN last_xid xid8 DEFAULT pg_current_xact_id();
CREATE INDEX jobs_page_renotify ON jobs_page (model_version_id, renotify_at)
    WHERE state = 'queued' AND renotify_at IS NOT NULL;
CREATE TABLE jobs_eventhorizon (tenant_id uuid PRIMARY KEY, xid xid8 NOT NULL, event_id bigint NOT NULL);
CREATE TABLE jobs_jobtoindex (job_id uuid PRIMARY KEY, tenant_id uuid NOT NULL);
-- Words are stored beside the row, because most queries read only the narrow part.
ALTER TABLE jobs_pagetext SET (toast_tuple_target = 128);
"""
REFERENCES = (
    ("jobs_archiveentry", "archive_id", "jobs_archive", "CASCADE"),
    ("jobs_batchtask", "batch_id", "jobs_batch", "CASCADE"),
    ("jobs_documentpage", "document_id", "jobs_document", "CASCADE"),
    ("jobs_event", "job_id", "jobs_job", "CASCADE"),
    ("jobs_idempotencykey", "job_id", "jobs_job", "CASCADE"),
    ("jobs_job", "document_id", "jobs_document", "NO ACTION"),
    ("jobs_job", "retry_of_id", "jobs_job", "NO ACTION"),
    ("jobs_page", "job_id", "jobs_job", "CASCADE"),
    ("jobs_pagetext", "job_id", "jobs_job", "CASCADE"),
    ("jobs_uploadpiece", "upload_id", "jobs_resumableupload", "CASCADE"),
    ("jobs_webhookattempt", "delivery_id", "jobs_webhookdelivery", "CASCADE"),
    ("jobs_webhookdelivery", "endpoint_id", "jobs_webhookendpoint", "CASCADE"),
    ("jobs_webhookdelivery", "message_id", "jobs_webhookmessage", "CASCADE"),
    ("jobs_webhookmessage", "job_id", "jobs_job", "CASCADE"),
    ("jobs_webhooksecret", "endpoint_id", "jobs_webhookendpoint", "CASCADE"),
    ("jobs_jobtoindex", "job_id", "jobs_job", "CASCADE"),
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("inference", "0001_initial"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        Together(
            [
                migrations.CreateModel(
                    name="Archive",
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
                        ("name", models.CharField(max_length=255)),
                        ("file", models.CharField(editable=False, max_length=300)),
                        ("sha256", models.CharField(max_length=64)),
                        ("size_bytes", models.PositiveBigIntegerField()),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("unpacking", "unpacking"),
                                    ("done", "done"),
                                    ("failed", "failed"),
                                    ("canceled", "canceled"),
                                ],
                                default="unpacking",
                                max_length=12,
                            ),
                        ),
                        (
                            "model",
                            models.CharField(
                                blank=True,
                                help_text="Model with version. Empty if no jobs are created.",
                                max_length=140,
                            ),
                        ),
                        ("parameters", models.JSONField(default=dict)),
                        ("priority", models.SmallIntegerField(default=2)),
                        ("webhook_url", models.CharField(blank=True, max_length=2000)),
                        ("error_code", models.CharField(blank=True, max_length=60)),
                        ("error_detail", models.CharField(blank=True, max_length=500)),
                        (
                            "waiting_code",
                            models.CharField(
                                blank=True,
                                help_text="Why the archive waits until the next attempt.",
                                max_length=60,
                                verbose_name="reason for waiting",
                            ),
                        ),
                        ("livemode", models.BooleanField(default=True)),
                        ("api_key_id", models.UUIDField(null=True)),
                        ("request_id", models.CharField(blank=True, max_length=64)),
                        (
                            "attempt",
                            models.PositiveIntegerField(
                                default=0, help_text="Attempts since the last entry was finished."
                            ),
                        ),
                        (
                            "run_after",
                            models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                        ),
                        ("lease_token", models.BigIntegerField(null=True)),
                        ("lease_until", models.DateTimeField(null=True)),
                        ("worker", models.CharField(blank=True, max_length=100)),
                        (
                            "served_at",
                            models.DateTimeField(
                                help_text="When a worker last started it. Tenants are served in turn.",
                                null=True,
                            ),
                        ),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        ("finished_at", models.DateTimeField(null=True)),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state", "unpacking")),
                                fields=["run_after"],
                                name="jobs_archive_unfinished",
                            ),
                            models.Index(fields=["created_at"], name="jobs_archive_age"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_archive_tenant")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Batch",
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
                        ("endpoint", models.CharField(max_length=200)),
                        (
                            "model_version",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="inference.modelversion",
                            ),
                        ),
                        (
                            "price",
                            models.JSONField(help_text="Price when the lines were validated.", null=True),
                        ),
                        (
                            "cached_price",
                            models.JSONField(
                                help_text="Price of cache hits at that time. Null in old batches.", null=True
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("validating", "validating"),
                                    ("failed", "failed"),
                                    ("in_progress", "in_progress"),
                                    ("finalizing", "finalizing"),
                                    ("completed", "completed"),
                                    ("expired", "expired"),
                                    ("cancelling", "cancelling"),
                                    ("cancelled", "cancelled"),
                                ],
                                default="validating",
                                max_length=20,
                            ),
                        ),
                        (
                            "ending",
                            models.CharField(
                                blank=True,
                                help_text="Final status once the files are written: cancelled, expired or failed.",
                                max_length=20,
                            ),
                        ),
                        ("input_file_id", models.UUIDField()),
                        ("output_file_id", models.UUIDField(null=True)),
                        ("error_file_id", models.UUIDField(null=True)),
                        ("output_lives_s", models.PositiveIntegerField(null=True)),
                        ("metadata", models.JSONField(null=True)),
                        ("errors", models.JSONField(null=True)),
                        ("lines_total", models.PositiveIntegerField(default=0)),
                        ("lines_completed", models.PositiveIntegerField(default=0)),
                        ("lines_failed", models.PositiveIntegerField(default=0)),
                        ("tokens", models.PositiveBigIntegerField(default=0)),
                        ("cost_micros", models.BigIntegerField(default=0)),
                        (
                            "made_bytes",
                            models.PositiveBigIntegerField(
                                db_default=0,
                                default=0,
                                help_text="Size of the responses that are not merged yet.",
                            ),
                        ),
                        ("livemode", models.BooleanField(default=True)),
                        ("api_key_id", models.UUIDField(null=True)),
                        ("request_id", models.CharField(blank=True, max_length=64)),
                        (
                            "served_at",
                            models.DateTimeField(
                                help_text="When a worker last started it. Tenants are served in turn.",
                                null=True,
                            ),
                        ),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        ("expires_at", models.DateTimeField()),
                        ("in_progress_at", models.DateTimeField(null=True)),
                        ("cancelling_at", models.DateTimeField(null=True)),
                        ("finalizing_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                    ],
                    options={
                        "verbose_name_plural": "batches",
                        "abstract": False,
                        "indexes": [
                            models.Index(
                                condition=models.Q(
                                    ("status__in", ("validating", "in_progress", "cancelling", "finalizing"))
                                ),
                                fields=["id"],
                                name="jobs_batch_unfinished",
                            ),
                            models.Index(fields=["input_file_id"], name="jobs_batch_of_file"),
                            models.Index(
                                condition=models.Q(("livemode", False)),
                                fields=["created_at"],
                                name="jobs_batch_of_tests",
                            ),
                            models.Index(
                                condition=models.Q(
                                    ("metadata__isnull", False), ("errors__isnull", False), _connector="OR"
                                ),
                                fields=["tenant", "livemode", "finished_at"],
                                name="jobs_batch_with_words",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_batch_tenant")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Document",
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
                        ("name", models.CharField(max_length=255)),
                        ("sha256", models.CharField(max_length=64)),
                        ("size_bytes", models.PositiveBigIntegerField()),
                        ("content_type", models.CharField(max_length=100)),
                        (
                            "kind",
                            models.CharField(
                                choices=[("pdf", "Pdf"), ("image", "Image"), ("text", "Text")], max_length=10
                            ),
                        ),
                        ("pages_total", models.PositiveIntegerField()),
                        ("file", models.CharField(editable=False, max_length=300)),
                        ("livemode", models.BooleanField(default=True)),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        (
                            "used_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(),
                                editable=False,
                                help_text="When the document was last uploaded or used, to the hour.",
                            ),
                        ),
                        ("deleted_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "deleted_reason",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("request", "on request"),
                                    ("operator", "by the operator of this service"),
                                    ("retention", "after its retention period"),
                                ],
                                db_default="",
                                default="",
                                editable=False,
                                max_length=10,
                            ),
                        ),
                        (
                            "too_complex_pages",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.PositiveIntegerField(), editable=False, null=True, size=None
                            ),
                        ),
                        ("too_complex_at", models.DateTimeField(editable=False, null=True)),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(
                                django.contrib.postgres.indexes.OpClass(
                                    django.db.models.functions.text.Upper("name"), "text_pattern_ops"
                                ),
                                name="jobs_document_by_name",
                            ),
                            models.Index(
                                condition=models.Q(("deleted_at__isnull", True)),
                                fields=["tenant", "livemode", "used_at"],
                                name="jobs_document_kept",
                            ),
                            models.Index(
                                condition=models.Q(("livemode", False)),
                                fields=["tenant", "-id"],
                                name="jobs_document_of_tests",
                            ),
                            models.Index(
                                condition=models.Q(("deleted_at__isnull", False)),
                                fields=["deleted_at"],
                                name="jobs_document_erased",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_document_tenant"),
                            models.UniqueConstraint(
                                condition=models.Q(("deleted_at", None)),
                                fields=("tenant", "sha256", "livemode"),
                                name="jobs_document_same_bytes_mode",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="FileToErase",
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
                        ("name", models.CharField(max_length=300)),
                        ("due_at", models.DateTimeField()),
                        ("attempts", models.PositiveIntegerField(default=0)),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [models.Index(fields=["due_at"], name="jobs_filetoerase_due")],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_filetoerase_tenant"),
                            models.UniqueConstraint(fields=("tenant", "name"), name="jobs_filetoerase_once"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="HeldKey",
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
                        ("key", models.CharField(max_length=255)),
                        ("ends_at", models.DateTimeField(editable=False)),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_heldkey_tenant"),
                            models.UniqueConstraint(fields=("tenant", "key"), name="jobs_heldkey_once"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ResumableUpload",
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
                        ("name", models.CharField(max_length=255)),
                        (
                            "content_type",
                            models.CharField(
                                blank=True, help_text="Content type sent by the client.", max_length=255
                            ),
                        ),
                        (
                            "metadata",
                            models.CharField(
                                blank=True, help_text="Metadata sent by the client.", max_length=4096
                            ),
                        ),
                        ("size_bytes", models.PositiveBigIntegerField()),
                        (
                            "offset_bytes",
                            models.PositiveBigIntegerField(default=0, help_text="Number of stored bytes."),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("receiving", "Receiving"),
                                    ("checking", "Checking"),
                                    ("ready", "Ready"),
                                    ("rejected", "Rejected"),
                                    ("expired", "Expired"),
                                    ("terminated", "Terminated"),
                                ],
                                default="receiving",
                                max_length=10,
                            ),
                        ),
                        ("livemode", models.BooleanField(default=True)),
                        ("document_id", models.UUIDField(help_text="ID of the created document.", null=True)),
                        (
                            "duplicate",
                            models.BooleanField(
                                default=False, help_text="Whether the same bytes were already a document."
                            ),
                        ),
                        ("error_code", models.CharField(blank=True, max_length=60)),
                        ("error_detail", models.TextField(blank=True)),
                        ("lease_token", models.BigIntegerField(null=True)),
                        (
                            "lease_until",
                            models.DateTimeField(
                                help_text="Reserved by one request until this time.", null=True
                            ),
                        ),
                        ("expires_at", models.DateTimeField()),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        ("ended_at", models.DateTimeField(null=True)),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state__in", ["receiving", "checking"])),
                                fields=["tenant", "expires_at"],
                                name="jobs_resumableupload_open",
                            ),
                            models.Index(
                                condition=models.Q(("document_id__isnull", False)),
                                fields=["document_id"],
                                name="jobs_resumableupload_became",
                            ),
                            models.Index(
                                condition=models.Q(("ended_at__isnull", False)),
                                fields=["ended_at"],
                                name="jobs_resumableupload_ended",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="jobs_resumableupload_tenant"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="StoredFile",
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
                        ("name", models.CharField(max_length=255)),
                        (
                            "purpose",
                            models.CharField(
                                choices=[("batch", "Batch"), ("batch_output", "Batch Output")], max_length=20
                            ),
                        ),
                        ("size_bytes", models.PositiveBigIntegerField()),
                        ("sha256", models.CharField(max_length=64)),
                        ("file", models.CharField(editable=False, max_length=300)),
                        ("livemode", models.BooleanField(default=True)),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        ("expires_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "verbose_name": "file",
                        "abstract": False,
                        "indexes": [models.Index(fields=["expires_at"], name="jobs_storedfile_expiry")],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_storedfile_tenant")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="FairShare",
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
                            "model_version",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inference.modelversion",
                            ),
                        ),
                        (
                            "priority",
                            models.SmallIntegerField(
                                choices=[(1, "interactive"), (2, "standard"), (3, "bulk")]
                            ),
                        ),
                        (
                            "began",
                            models.FloatField(
                                help_text="Position of the last released page. The highest is the current position of the version."
                            ),
                        ),
                        (
                            "ends",
                            models.FloatField(help_text="Position of the next page, unless it has passed."),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_fairshare_tenant"),
                            models.UniqueConstraint(
                                fields=("model_version", "tenant", "priority"), name="jobs_fairshare_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="WebhookEndpoint",
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
                                choices=[("endpoint", "account"), ("jobs", "set by jobs")],
                                default="endpoint",
                                max_length=10,
                            ),
                        ),
                        ("url", models.CharField(max_length=2000)),
                        ("livemode", models.BooleanField(db_default=True, default=True)),
                        ("description", models.CharField(blank=True, max_length=200)),
                        (
                            "events",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=60), default=list, size=None
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("enabled", "Enabled"),
                                    ("disabled", "Disabled"),
                                    ("deleted", "Deleted"),
                                ],
                                default="enabled",
                                max_length=10,
                            ),
                        ),
                        (
                            "disabled_reason",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("by_hand", "disabled manually"),
                                    ("gone", "answered 410 Gone"),
                                    ("failing", "failed for days"),
                                ],
                                max_length=10,
                            ),
                        ),
                        ("disabled_at", models.DateTimeField(null=True)),
                        (
                            "succeeded_at",
                            models.DateTimeField(
                                help_text="Approximate time of the last successful delivery.", null=True
                            ),
                        ),
                        (
                            "failing_since",
                            models.DateTimeField(
                                help_text="First failure since the last successful delivery.", null=True
                            ),
                        ),
                        (
                            "given_up",
                            models.PositiveIntegerField(
                                default=0,
                                help_text="Failed deliveries since the last successful delivery.",
                                verbose_name="failed deliveries",
                            ),
                        ),
                        (
                            "width",
                            models.PositiveSmallIntegerField(
                                db_default=2,
                                default=2,
                                help_text="Allowed concurrent requests: more while responses are fast, one after a failure.",
                            ),
                        ),
                        (
                            "failures",
                            models.PositiveIntegerField(
                                db_default=0,
                                default=0,
                                help_text="Consecutive requests without a response or with a server error.",
                            ),
                        ),
                        (
                            "paused_until",
                            models.DateTimeField(
                                help_text="Nothing is sent until this time after repeated failures.",
                                null=True,
                                verbose_name="paused until",
                            ),
                        ),
                        (
                            "not_before",
                            models.DateTimeField(
                                help_text="The server asked to wait until this time (Retry-After).",
                                null=True,
                                verbose_name="retry after",
                            ),
                        ),
                        (
                            "notified_at",
                            models.DateTimeField(
                                editable=False,
                                help_text="When the owners were mailed about the disabling.",
                                null=True,
                            ),
                        ),
                        (
                            "next_notice_at",
                            models.DateTimeField(
                                editable=False,
                                help_text="When to retry mailing the remaining owners.",
                                null=True,
                            ),
                        ),
                        ("notice_tries", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                        (
                            "notified_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.UUIDField(),
                                db_default=[],
                                default=list,
                                editable=False,
                                help_text="Owners that were already mailed.",
                                size=None,
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
                        "verbose_name": "webhook",
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="jobs_webhookendpoint_tenant"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("kind", "jobs")),
                                fields=("tenant", "url", "livemode"),
                                name="jobs_webhookendpoint_of_jobs_mode",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ArchiveEntry",
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
                            "archive",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="entries",
                                to="jobs.archive",
                            ),
                        ),
                        (
                            "number",
                            models.PositiveIntegerField(
                                help_text="Position in the directory of the archive, from 1."
                            ),
                        ),
                        (
                            "name",
                            models.CharField(
                                blank=True, help_text="Displayed name without a path.", max_length=400
                            ),
                        ),
                        (
                            "size_bytes",
                            models.PositiveBigIntegerField(
                                help_text="Unpacked size according to the directory of the archive."
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("waiting", "waiting"),
                                    ("done", "done"),
                                    ("failed", "failed"),
                                    ("skipped", "skipped"),
                                    ("canceled", "canceled"),
                                ],
                                default="waiting",
                                max_length=12,
                            ),
                        ),
                        ("document_id", models.UUIDField(null=True)),
                        ("job_id", models.UUIDField(null=True)),
                        (
                            "error_code",
                            models.CharField(
                                blank=True,
                                help_text="Error code, or the reason why the entry was skipped.",
                                max_length=60,
                            ),
                        ),
                        ("error_detail", models.CharField(blank=True, max_length=500)),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(
                                condition=models.Q(("document_id__isnull", False)),
                                fields=["document_id"],
                                name="jobs_archiveentry_became",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_archiveentry_tenant"),
                            models.UniqueConstraint(
                                fields=("archive", "number"), name="jobs_archiveentry_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BatchTask",
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
                            "batch",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tasks",
                                to="jobs.batch",
                            ),
                        ),
                        (
                            "number",
                            models.PositiveIntegerField(help_text="Position in the order of the lines."),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[("validate", "validate"), ("run", "run"), ("merge", "merge")],
                                max_length=10,
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("queued", "queued"),
                                    ("running", "running"),
                                    ("done", "done"),
                                    ("dropped", "dropped"),
                                ],
                                default="queued",
                                max_length=10,
                            ),
                        ),
                        ("input", models.CharField(blank=True, max_length=300)),
                        ("output", models.CharField(blank=True, max_length=300)),
                        ("errors", models.CharField(blank=True, max_length=300)),
                        ("lines", models.PositiveIntegerField(default=0)),
                        (
                            "answered",
                            models.PositiveIntegerField(
                                db_default=0,
                                default=0,
                                help_text="Number of first lines whose responses are stored and charged.",
                            ),
                        ),
                        ("attempt", models.PositiveIntegerField(default=0)),
                        (
                            "run_after",
                            models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                        ),
                        ("lease_token", models.BigIntegerField(null=True)),
                        ("lease_until", models.DateTimeField(null=True)),
                        ("worker", models.CharField(blank=True, max_length=100)),
                        (
                            "at_line",
                            models.PositiveIntegerField(
                                help_text="Line that runs alone after workers crashed with these lines.",
                                null=True,
                            ),
                        ),
                        (
                            "crashing_lines",
                            models.JSONField(default=list, help_text="Lines that workers crashed with."),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state", "queued")),
                                fields=["batch", "number"],
                                name="jobs_batchtask_queue",
                            ),
                            models.Index(
                                condition=models.Q(("state", "running")),
                                fields=["batch", "lease_until"],
                                name="jobs_batchtask_leases",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_batchtask_tenant"),
                            models.UniqueConstraint(fields=("batch", "number"), name="jobs_batchtask_once"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="DocumentPage",
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
                            "document",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="pages",
                                to="jobs.document",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("width_px", models.PositiveIntegerField()),
                        ("height_px", models.PositiveIntegerField()),
                        ("picture", models.CharField(blank=True, max_length=300)),
                        ("picture_type", models.CharField(blank=True, max_length=50)),
                        (
                            "text_layer",
                            models.JSONField(
                                help_text="Lines with boxes. Null if the page needs text recognition.",
                                null=True,
                            ),
                        ),
                        (
                            "content_sha256",
                            models.CharField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="Hash of image and text; see jobs/documents/content.py.",
                                max_length=64,
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
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_documentpage_tenant"),
                            models.UniqueConstraint(
                                fields=("document", "number"), name="jobs_documentpage_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Job",
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
                            "model_version",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="inference.modelversion",
                            ),
                        ),
                        (
                            "document",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="jobs",
                                to="jobs.document",
                            ),
                        ),
                        ("input", models.JSONField(null=True)),
                        ("parameters", models.JSONField(default=dict)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("queued", "queued"),
                                    ("running", "running"),
                                    ("succeeded", "succeeded"),
                                    ("partially_succeeded", "partially_succeeded"),
                                    ("failed", "failed"),
                                    ("canceled", "canceled"),
                                    ("expired", "expired"),
                                ],
                                default="queued",
                                max_length=20,
                            ),
                        ),
                        ("pages_total", models.PositiveIntegerField()),
                        ("pages_succeeded", models.PositiveIntegerField(default=0)),
                        ("pages_failed", models.PositiveIntegerField(default=0)),
                        (
                            "pages_cached",
                            models.PositiveIntegerField(
                                db_default=0, default=0, help_text="Pages with a cache hit."
                            ),
                        ),
                        (
                            "pages_coalesced",
                            models.PositiveIntegerField(
                                db_default=0,
                                default=0,
                                help_text="Cache hits that waited for an identical page in progress.",
                            ),
                        ),
                        (
                            "oldest_result_at",
                            models.DateTimeField(
                                help_text="When the oldest cached result was created.", null=True
                            ),
                        ),
                        (
                            "priority",
                            models.SmallIntegerField(
                                choices=[(1, "interactive"), (2, "standard"), (3, "bulk")],
                                db_default=2,
                                default=2,
                            ),
                        ),
                        (
                            "cache_control",
                            models.CharField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="no-cache, no-store or empty.",
                                max_length=10,
                            ),
                        ),
                        ("price", models.JSONField(help_text="Price when the job was accepted.")),
                        (
                            "cached_price",
                            models.JSONField(
                                help_text="Price of cache hits. Null for the same price.", null=True
                            ),
                        ),
                        ("cost_micros", models.BigIntegerField(default=0)),
                        ("currency", models.CharField(max_length=3)),
                        (
                            "held_micros",
                            models.BigIntegerField(
                                editable=False,
                                help_text="Amount reserved until the job ends, if the spending of the tenant is limited.",
                                null=True,
                            ),
                        ),
                        ("error_code", models.CharField(blank=True, max_length=60)),
                        ("error_detail", models.TextField(blank=True)),
                        (
                            "retry_of",
                            models.ForeignKey(
                                db_constraint=False,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="retries",
                                to="jobs.job",
                            ),
                        ),
                        ("livemode", models.BooleanField(default=True)),
                        ("api_key_id", models.UUIDField(null=True)),
                        ("request_id", models.CharField(blank=True, max_length=64)),
                        (
                            "webhook_url",
                            models.CharField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="URL that is notified when the job ends.",
                                max_length=2000,
                            ),
                        ),
                        ("last_seq", models.PositiveIntegerField(default=0)),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        ("started_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                        (
                            "expires_at",
                            models.DateTimeField(
                                help_text="An unfinished job expires at this time.", null=True
                            ),
                        ),
                        (
                            "cancel_at",
                            models.DateTimeField(
                                help_text="An unfinished job is canceled at this time.", null=True
                            ),
                        ),
                        (
                            "erased_at",
                            models.DateTimeField(
                                editable=False,
                                help_text="When the job was erased. Only this record remains.",
                                null=True,
                            ),
                        ),
                        (
                            "erased_reason",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("request", "on request"),
                                    ("operator", "by the operator of this service"),
                                    ("retention", "after its retention period"),
                                ],
                                db_default="",
                                default="",
                                editable=False,
                                max_length=10,
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(
                                django.db.models.functions.comparison.Least("expires_at", "cancel_at"),
                                condition=models.Q(
                                    ("state__in", ["queued", "running"]),
                                    models.Q(
                                        ("expires_at__isnull", False),
                                        ("cancel_at__isnull", False),
                                        _connector="OR",
                                    ),
                                ),
                                name="jobs_job_overdue",
                            ),
                            models.Index(fields=["tenant", "state", "-id"], name="jobs_job_by_state"),
                            models.Index(fields=["tenant", "model_version", "-id"], name="jobs_job_by_model"),
                            models.Index(fields=["document"], name="jobs_job_of_document"),
                            models.Index(
                                condition=models.Q(
                                    ("erased_at__isnull", True), ("finished_at__isnull", False)
                                ),
                                fields=["tenant", "livemode", "finished_at"],
                                name="jobs_job_to_erase",
                            ),
                            models.Index(
                                condition=models.Q(("erased_at__isnull", False)),
                                fields=["erased_at"],
                                name="jobs_job_erased",
                            ),
                            models.Index(
                                condition=models.Q(("erased_at__isnull", True)),
                                fields=["tenant", "-id"],
                                name="jobs_job_kept",
                            ),
                            models.Index(
                                condition=models.Q(("livemode", False)),
                                fields=["tenant", "-id"],
                                name="jobs_job_of_tests",
                            ),
                            models.Index(
                                condition=models.Q(("state", "succeeded"), _negated=True),
                                fields=["state", "-id"],
                                name="jobs_job_unsuccessful",
                            ),
                            models.Index(
                                condition=models.Q(("error_code", ""), _negated=True),
                                fields=["error_code", "-id"],
                                name="jobs_job_by_error",
                            ),
                            models.Index(
                                condition=models.Q(("held_micros__isnull", False)),
                                fields=["tenant", "id"],
                                name="jobs_job_holds_money",
                            ),
                            models.Index(
                                condition=models.Q(("api_key_id__isnull", False)),
                                fields=["api_key_id", "-id"],
                                name="jobs_job_of_key",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_job_tenant")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="UploadPiece",
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
                            "upload",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="pieces",
                                to="jobs.resumableupload",
                            ),
                        ),
                        ("start", models.PositiveBigIntegerField()),
                        ("size_bytes", models.PositiveBigIntegerField()),
                        ("name", models.CharField(max_length=300)),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_uploadpiece_tenant"),
                            models.UniqueConstraint(fields=("upload", "start"), name="jobs_uploadpiece_once"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="WebhookSecret",
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
                            "endpoint",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                help_text="Empty for the secret of the tenant, which signs messages to URLs set by jobs.",
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="secrets",
                                to="jobs.webhookendpoint",
                            ),
                        ),
                        (
                            "of_tests",
                            models.BooleanField(
                                db_default=False,
                                default=False,
                                help_text="Whether the secret of the tenant signs messages of test jobs.",
                            ),
                        ),
                        ("salt", models.BinaryField(max_length=32)),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        (
                            "ends_at",
                            models.DateTimeField(help_text="When a rotated secret stops signing.", null=True),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="jobs_webhooksecret_tenant"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("ends_at", None)),
                                fields=("tenant", "endpoint", "of_tests"),
                                name="jobs_webhooksecret_one_lasts_mode",
                                nulls_distinct=False,
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Event",
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
                            "job",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="events",
                                to="jobs.job",
                            ),
                        ),
                        ("seq", models.PositiveIntegerField()),
                        ("type", models.CharField(max_length=40)),
                        ("data", models.JSONField(default=dict)),
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
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_event_tenant"),
                            models.UniqueConstraint(fields=("job", "seq"), name="jobs_event_seq"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IdempotencyKey",
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
                        ("key", models.CharField(max_length=255)),
                        (
                            "operation",
                            models.CharField(db_default="submit_job", default="submit_job", max_length=32),
                        ),
                        ("fingerprint", models.CharField(max_length=64)),
                        (
                            "status",
                            models.PositiveSmallIntegerField(
                                db_default=202, default=202, help_text="HTTP status of the first response."
                            ),
                        ),
                        (
                            "job",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="idempotency_keys",
                                to="jobs.job",
                            ),
                        ),
                        (
                            "made_id",
                            models.UUIDField(
                                help_text="ID of the created object, if it is not a job.", null=True
                            ),
                        ),
                        (
                            "made_count",
                            models.PositiveIntegerField(
                                help_text="Number of notified objects, if the response is a count.", null=True
                            ),
                        ),
                        (
                            "refusal",
                            models.JSONField(
                                help_text="Payment error of the first response, if nothing was created.",
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
                        "indexes": [
                            models.Index(fields=["created_at"], name="jobs_idempotencykey_age"),
                            models.Index(fields=["job"], name="jobs_idempotencykey_of_job"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="jobs_idempotencykey_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("tenant", "key"), name="jobs_idempotencykey_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Page",
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
                            "job",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="pages",
                                to="jobs.job",
                            ),
                        ),
                        (
                            "model_version",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="inference.modelversion",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        (
                            "priority",
                            models.SmallIntegerField(
                                choices=[(1, "interactive"), (2, "standard"), (3, "bulk")],
                                db_default=2,
                                default=2,
                                help_text="Priority of the job while the page is queued.",
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("queued", "queued"),
                                    ("running", "running"),
                                    ("succeeded", "succeeded"),
                                    ("failed", "failed"),
                                    ("canceled", "canceled"),
                                    ("expired", "expired"),
                                ],
                                default="queued",
                                max_length=20,
                            ),
                        ),
                        ("attempt", models.PositiveSmallIntegerField(default=0)),
                        (
                            "run_after",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(),
                                help_text="According to the clock of the database.",
                            ),
                        ),
                        (
                            "renotify_at",
                            models.DateTimeField(
                                help_text="Workers are notified again at this time.",
                                null=True,
                                verbose_name="next notification",
                            ),
                        ),
                        ("lease_token", models.BigIntegerField(null=True)),
                        ("lease_until", models.DateTimeField(null=True)),
                        ("worker", models.CharField(blank=True, max_length=100)),
                        ("result", models.JSONField(null=True)),
                        ("units", models.JSONField(help_text="Billable units of the result.", null=True)),
                        (
                            "result_at",
                            models.DateTimeField(help_text="When the result was created.", null=True),
                        ),
                        (
                            "cache_key",
                            models.BinaryField(
                                help_text="Key of the result in the cache. While a page runs, no other page with this key runs.",
                                max_length=32,
                                null=True,
                            ),
                        ),
                        (
                            "cached",
                            models.BooleanField(
                                db_default=False,
                                default=False,
                                help_text="Whether the result came from the cache.",
                                verbose_name="cache hit",
                            ),
                        ),
                        (
                            "waits_for",
                            models.BinaryField(
                                help_text="Key of the identical page in progress that this page waits for.",
                                max_length=32,
                                null=True,
                            ),
                        ),
                        (
                            "awaited",
                            models.BooleanField(
                                db_default=False,
                                default=False,
                                help_text="Whether other pages wait for the result.",
                            ),
                        ),
                        ("error_code", models.CharField(blank=True, max_length=60)),
                        ("error_detail", models.TextField(blank=True)),
                        ("cost_micros", models.BigIntegerField(default=0)),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        ("started_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            models.Index(
                                condition=models.Q(("cache_key__isnull", False), ("state", "succeeded")),
                                fields=["tenant", "cache_key", "-result_at"],
                                name="jobs_page_cached",
                            ),
                            models.Index(
                                condition=models.Q(("state", "queued"), ("waits_for__isnull", False)),
                                fields=["tenant", "waits_for"],
                                name="jobs_page_waiting",
                            ),
                            models.Index(
                                condition=models.Q(("state", "queued")),
                                fields=["model_version", "id"],
                                name="jobs_page_queue",
                            ),
                            models.Index(
                                condition=models.Q(("renotify_at__isnull", True), ("state", "queued")),
                                fields=["model_version", "priority", "tenant", "id", "run_after"],
                                name="jobs_page_tenant_queues",
                            ),
                            models.Index(
                                condition=models.Q(("state__in", ["queued", "running"])),
                                fields=["job", "-state", "number"],
                                name="jobs_page_unfinished",
                            ),
                            models.Index(
                                condition=models.Q(("state", "running")),
                                fields=["model_version"],
                                name="jobs_page_running",
                            ),
                            models.Index(
                                condition=models.Q(("state", "running")),
                                fields=["lease_until"],
                                name="jobs_page_leases",
                            ),
                            models.Index(
                                condition=models.Q(("state", "succeeded"), _negated=True),
                                fields=["state", "-id"],
                                name="jobs_page_unsuccessful",
                            ),
                            models.Index(
                                condition=models.Q(("error_code", ""), _negated=True),
                                fields=["error_code", "-id"],
                                name="jobs_page_by_error",
                            ),
                            models.Index(fields=["model_version", "-id"], name="jobs_page_of_version"),
                            models.Index(
                                condition=models.Q(("worker", ""), _negated=True),
                                fields=["worker", "-id"],
                                name="jobs_page_by_worker",
                            ),
                            models.Index(
                                condition=models.Q(("finished_at__isnull", False)),
                                fields=["finished_at"],
                                include=("state", "error_code"),
                                name="jobs_page_finished",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_page_tenant"),
                            models.UniqueConstraint(fields=("job", "number"), name="jobs_page_once"),
                            models.UniqueConstraint(
                                condition=models.Q(("state", "running")),
                                fields=("tenant", "cache_key"),
                                name="jobs_page_one_run",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PageText",
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
                            "job",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="jobs.job",
                            ),
                        ),
                        (
                            "number",
                            models.PositiveIntegerField(help_text="Page number. 0 for the document name."),
                        ),
                        ("words", django.contrib.postgres.search.SearchVectorField()),
                    ],
                    options={
                        "abstract": False,
                        "indexes": [
                            django.contrib.postgres.indexes.GinIndex(
                                fastupdate=False, fields=["words"], name="jobs_pagetext_words"
                            ),
                            models.Index(fields=["tenant", "job", "number"], name="jobs_pagetext_of_job"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tenant", "id"), name="jobs_pagetext_tenant")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="WebhookMessage",
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
                            "job",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="jobs.job",
                            ),
                        ),
                        ("type", models.CharField(max_length=60)),
                        ("body", models.TextField()),
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
                            models.Index(fields=["created_at"], name="jobs_webhookmessage_age"),
                            models.Index(fields=["job"], name="jobs_webhookmessage_of_job"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="jobs_webhookmessage_tenant"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="WebhookDelivery",
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
                            "message",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="deliveries",
                                to="jobs.webhookmessage",
                            ),
                        ),
                        (
                            "endpoint",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="deliveries",
                                to="jobs.webhookendpoint",
                            ),
                        ),
                        (
                            "url",
                            models.CharField(
                                blank=True, help_text="URL set by the job, if any.", max_length=2000
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("pending", "Pending"),
                                    ("delivered", "Delivered"),
                                    ("failed", "Failed"),
                                ],
                                default="pending",
                                max_length=10,
                            ),
                        ),
                        ("attempts_made", models.PositiveIntegerField(default=0)),
                        (
                            "step",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="Attempts since the first sending or the last replay."
                            ),
                        ),
                        (
                            "next_attempt_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), null=True
                            ),
                        ),
                        ("lease_token", models.BigIntegerField(null=True)),
                        ("lease_until", models.DateTimeField(null=True)),
                        (
                            "error_code",
                            models.CharField(
                                blank=True, help_text="Error code of the last attempt.", max_length=60
                            ),
                        ),
                        (
                            "created_at",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(), editable=False
                            ),
                        ),
                        ("ended_at", models.DateTimeField(null=True)),
                    ],
                    options={
                        "verbose_name_plural": "webhook deliveries",
                        "abstract": False,
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state", "pending")),
                                fields=["endpoint", "next_attempt_at"],
                                name="jobs_webhookdelivery_due",
                            ),
                            models.Index(
                                condition=models.Q(("state", "pending")),
                                fields=["next_attempt_at"],
                                name="jobs_webhookdelivery_next",
                            ),
                            models.Index(
                                condition=models.Q(("lease_until__isnull", False), ("state", "pending")),
                                fields=["lease_until"],
                                name="jobs_webhookdelivery_held",
                            ),
                            models.Index(
                                fields=["tenant", "endpoint", "-id"], name="jobs_webhookdelivery_list"
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="jobs_webhookdelivery_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("message", "endpoint"), name="jobs_webhookdelivery_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="WebhookAttempt",
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
                            "delivery",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="attempts",
                                to="jobs.webhookdelivery",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("started_at", models.DateTimeField()),
                        ("duration_ms", models.PositiveIntegerField()),
                        (
                            "status",
                            models.PositiveSmallIntegerField(
                                help_text="HTTP status of the response. Empty without a response.", null=True
                            ),
                        ),
                        ("error_code", models.CharField(blank=True, max_length=60)),
                        ("detail", models.CharField(blank=True, max_length=500)),
                        (
                            "response_body",
                            models.TextField(
                                blank=True,
                                help_text="Beginning of the response body of a failure, if stored.",
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tenant", "id"), name="jobs_webhookattempt_tenant"
                            ),
                            models.UniqueConstraint(
                                fields=("delivery", "number"), name="jobs_webhookattempt_once"
                            ),
                        ],
                    },
                ),
            ]
        ),
        migrations.RunSQL(MORE),
        refer_within_tenant(REFERENCES),
    ]
