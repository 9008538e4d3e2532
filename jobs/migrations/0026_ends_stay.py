"""What an end says stays as it was: not the state alone, but counts, cost, times, errors and results.

One door is left, for erasing: what callers sent and what was read may go, and only go.
"""

from django.db import migrations

TERMINAL = "('succeeded', 'partially_succeeded', 'failed', 'canceled', 'expired')"

ENDS_STAY = f"""
CREATE FUNCTION maas_keep_job_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.state, NEW.tenant_id, NEW.model_version_id, NEW.document_id, NEW.pages_total, NEW.pages_succeeded,
        NEW.pages_failed, NEW.pages_cached, NEW.pages_coalesced, NEW.oldest_result_at, NEW.price, NEW.cached_price,
        NEW.cost_micros, NEW.currency, NEW.error_code, NEW.retry_of_id, NEW.livemode, NEW.started_at, NEW.finished_at)
       IS DISTINCT FROM
       (OLD.state, OLD.tenant_id, OLD.model_version_id, OLD.document_id, OLD.pages_total, OLD.pages_succeeded,
        OLD.pages_failed, OLD.pages_cached, OLD.pages_coalesced, OLD.oldest_result_at, OLD.price, OLD.cached_price,
        OLD.cost_micros, OLD.currency, OLD.error_code, OLD.retry_of_id, OLD.livemode, OLD.started_at, OLD.finished_at)
       OR (NEW.input IS DISTINCT FROM OLD.input AND NEW.input IS NOT NULL)
       OR (NEW.parameters IS DISTINCT FROM OLD.parameters AND NEW.parameters <> '{{}}')
       OR NEW.error_detail NOT IN (OLD.error_detail, '')
    THEN
        RAISE EXCEPTION 'job % is %: what it ended with cannot be changed', OLD.id, OLD.state
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION maas_keep_page_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.state, NEW.tenant_id, NEW.job_id, NEW.model_version_id, NEW.number, NEW.attempt, NEW.units, NEW.result_at,
        NEW.cached, NEW.cost_micros, NEW.error_code, NEW.started_at, NEW.finished_at)
       IS DISTINCT FROM
       (OLD.state, OLD.tenant_id, OLD.job_id, OLD.model_version_id, OLD.number, OLD.attempt, OLD.units, OLD.result_at,
        OLD.cached, OLD.cost_micros, OLD.error_code, OLD.started_at, OLD.finished_at)
       OR (NEW.result IS DISTINCT FROM OLD.result AND NEW.result IS NOT NULL)
       OR NEW.error_detail NOT IN (OLD.error_detail, '')
    THEN
        RAISE EXCEPTION 'page % is %: what it ended with cannot be changed', OLD.id, OLD.state
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER keep_end_state ON jobs_job;
DROP TRIGGER keep_end_state ON jobs_page;
CREATE TRIGGER keep_end BEFORE UPDATE ON jobs_job FOR EACH ROW
    WHEN (OLD.state IN {TERMINAL}) EXECUTE FUNCTION maas_keep_job_end();
CREATE TRIGGER keep_end BEFORE UPDATE ON jobs_page FOR EACH ROW
    WHEN (OLD.state IN {TERMINAL}) EXECUTE FUNCTION maas_keep_page_end();
"""

THE_STATE_ALONE = """
DROP TRIGGER keep_end ON jobs_page;
DROP TRIGGER keep_end ON jobs_job;
DROP FUNCTION maas_keep_page_end();
DROP FUNCTION maas_keep_job_end();
CREATE TRIGGER keep_end_state BEFORE UPDATE OF state ON jobs_job
    FOR EACH ROW EXECUTE FUNCTION maas_keep_end_state();
CREATE TRIGGER keep_end_state BEFORE UPDATE OF state ON jobs_page
    FOR EACH ROW EXECUTE FUNCTION maas_keep_end_state();
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0025_webhook_width")]

    operations = [migrations.RunSQL(ENDS_STAY, THE_STATE_ALONE)]
