"""Pages whose results are known: what is kept of them, and who is woken when a run ends that others wait for.

Every column is new and empty, or has one value for all rows, so that no row is written. The indexes follow.
"""

from django.db import migrations, models

# However a page leaves off running (read, failed, put back, swept up, canceled), those that wait for its result are
# due at once: they find the result, or one of them runs. Rows that are locked are passed over, so that nobody waits
# here for anybody; these come back by themselves.
WAKE_WAITING = """
CREATE FUNCTION maas_wake_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE jobs_page SET run_after = clock_timestamp(), wake_again_at = NULL
    WHERE id IN (
        SELECT id FROM jobs_page
        WHERE tenant_id = OLD.tenant_id AND waits_for = OLD.cache_key AND state = 'queued'
        FOR NO KEY UPDATE SKIP LOCKED
    );
    RETURN NULL;
END $$;
CREATE TRIGGER wake_waiting AFTER UPDATE OF state ON jobs_page
    FOR EACH ROW
    WHEN (OLD.awaited AND OLD.state = 'running'
          AND (NEW.state <> 'running' OR NEW.cache_key IS DISTINCT FROM OLD.cache_key))
    EXECUTE FUNCTION maas_wake_waiting();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("inference", "0006_cached_results"),
        ("jobs", "0008_batches"),
        ("tenants", "0006_audit_rights"),
    ]

    operations = [
        migrations.AddField(
            "documentpage",
            "content_sha256",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Of picture and text; see jobs/documents/content.py.",
                max_length=64,
            ),
        ),
        migrations.AddField(
            "job",
            "cache_control",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="no-cache, no-store, or nothing.",
                max_length=10,
            ),
        ),
        migrations.AddField(
            "job",
            "cached_price",
            models.JSONField(help_text="For pages whose results are known; null for the price.", null=True),
        ),
        migrations.AddField(
            "job",
            "oldest_result_at",
            models.DateTimeField(
                help_text="When the oldest result was made that was known already.", null=True
            ),
        ),
        migrations.AddField(
            "job",
            "pages_cached",
            models.PositiveIntegerField(
                db_default=0, default=0, help_text="Succeeded without a run: their results were known."
            ),
        ),
        migrations.AddField(
            "job",
            "pages_coalesced",
            models.PositiveIntegerField(
                db_default=0, default=0, help_text="Of these, the ones whose results came while they waited."
            ),
        ),
        migrations.AddField(
            "page",
            "awaited",
            models.BooleanField(
                db_default=False, default=False, help_text="Others wait for the end of its run."
            ),
        ),
        migrations.AddField(
            "page",
            "cache_key",
            models.BinaryField(
                help_text="Of a result, by which it is found again; of a running page, what no other may run "
                "meanwhile.",
                max_length=32,
                null=True,
            ),
        ),
        migrations.AddField(
            "page",
            "cached",
            models.BooleanField(
                db_default=False, default=False, help_text="Not run: its result was known."
            ),
        ),
        migrations.AddField(
            "page",
            "result_at",
            models.DateTimeField(
                help_text="When the result was made, here or where it was taken from.", null=True
            ),
        ),
        migrations.AddField(
            "page",
            "units",
            models.JSONField(help_text="What was done for the result, in the units of prices.", null=True),
        ),
        migrations.AddField(
            "page",
            "waits_for",
            models.BinaryField(
                help_text="The key of a page that is run elsewhere, whose result will do.",
                max_length=32,
                null=True,
            ),
        ),
        migrations.RunSQL(
            WAKE_WAITING,
            "DROP TRIGGER wake_waiting ON jobs_page; DROP FUNCTION maas_wake_waiting();",
        ),
    ]
