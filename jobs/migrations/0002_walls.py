"""Row-level security, references within a tenant, fencing tokens, and end states that cannot change."""

from django.db import migrations

from tenants.core.db.row_security import (APP_ROLE, protect, refer_within_tenant)

TERMINAL = "('succeeded', 'partially_succeeded', 'failed', 'canceled', 'expired')"

FENCE_AND_CURSOR = """
CREATE SEQUENCE jobs_fence;
ALTER TABLE jobs_event ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX jobs_event_cursor ON jobs_event (tenant_id, xid, id);
CREATE INDEX jobs_page_wakes ON jobs_page (model_version_id, wake_again_at) WHERE state = 'queued' AND wake_again_at IS NOT NULL;
"""

END_STATES = f"""
CREATE FUNCTION maas_keep_end_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state IN {TERMINAL} AND NEW.state IS DISTINCT FROM OLD.state THEN
        RAISE EXCEPTION '% % is % and cannot become %', TG_TABLE_NAME, OLD.id, OLD.state, NEW.state
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER keep_end_state BEFORE UPDATE OF state ON jobs_job
    FOR EACH ROW EXECUTE FUNCTION maas_keep_end_state();
CREATE TRIGGER keep_end_state BEFORE UPDATE OF state ON jobs_page
    FOR EACH ROW EXECUTE FUNCTION maas_keep_end_state();
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial"), ("tenants", "0002_walls"), ("inference", "0001_initial")]

    operations = [
        # Which model runs at what price is the operator's to say; tenants' requests only read it.
        migrations.RunSQL(
            f"REVOKE INSERT, UPDATE, DELETE ON inference_servedmodel, inference_modelversion, inference_pipelinestep"
            f" FROM {APP_ROLE};",
            f"GRANT INSERT, UPDATE, DELETE ON inference_servedmodel, inference_modelversion, inference_pipelinestep"
            f" TO {APP_ROLE};",
        ),
        migrations.RunSQL(
            FENCE_AND_CURSOR,
            "DROP INDEX jobs_page_wakes; ALTER TABLE jobs_event DROP COLUMN xid; DROP SEQUENCE jobs_fence;",
        ),
        *(
            protect(table)
            for table in ("jobs_document", "jobs_documentpage", "jobs_job", "jobs_page", "jobs_event")
        ),
        refer_within_tenant("jobs_documentpage", "document_id", "jobs_document", "CASCADE"),
        refer_within_tenant("jobs_job", "document_id", "jobs_document"),
        refer_within_tenant("jobs_job", "retry_of_id", "jobs_job"),
        refer_within_tenant("jobs_page", "job_id", "jobs_job", "CASCADE"),
        refer_within_tenant("jobs_event", "job_id", "jobs_job", "CASCADE"),
        migrations.RunSQL(
            END_STATES,
            "DROP TRIGGER keep_end_state ON jobs_page; DROP TRIGGER keep_end_state ON jobs_job;"
            " DROP FUNCTION maas_keep_end_state();",
        ),
    ]
