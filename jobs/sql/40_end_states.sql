-- A job or page that has ended keeps what it ended with: state, counts, cost, times, errors and results. Retention may
-- empty inputs, results, classes and error details. People may correct the class and the fields, and undo that.
CREATE OR REPLACE FUNCTION maas_refuse_change_of_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% % is %: what it ended with cannot be changed', TG_ARGV[0], OLD.id, OLD.state
        USING ERRCODE = 'check_violation';
END $$;

CREATE OR REPLACE TRIGGER keep_end BEFORE UPDATE ON jobs_job FOR EACH ROW
    WHEN (
        OLD.state IN ('succeeded', 'partially_succeeded', 'failed', 'canceled', 'expired')
        AND (
            (NEW.state, NEW.tenant_id, NEW.model_version_id, NEW.document_id, NEW.pages_total, NEW.pages_succeeded,
             NEW.pages_failed, NEW.pages_cached, NEW.pages_coalesced, NEW.oldest_result_at, NEW.price,
             NEW.pages_to_review, NEW.quality, NEW.cached_price, NEW.review_price, NEW.cost_micros, NEW.currency, NEW.error_code, NEW.retry_of_id, NEW.livemode,
             NEW.started_at, NEW.finished_at)
            IS DISTINCT FROM
            (OLD.state, OLD.tenant_id, OLD.model_version_id, OLD.document_id, OLD.pages_total, OLD.pages_succeeded,
             OLD.pages_failed, OLD.pages_cached, OLD.pages_coalesced, OLD.oldest_result_at, OLD.price,
             OLD.pages_to_review, OLD.quality, OLD.cached_price, OLD.review_price, OLD.cost_micros, OLD.currency, OLD.error_code, OLD.retry_of_id, OLD.livemode,
             OLD.started_at, OLD.finished_at)
            OR NEW.error_detail NOT IN (OLD.error_detail, '')
            OR NEW.class_set NOT IN (OLD.class_set, '')
            OR (NEW.class_label NOT IN (OLD.class_label, '') AND NOT NEW.class_corrected AND NOT OLD.class_corrected)
            OR (NEW.class_probabilities IS NOT NULL
                AND NEW.class_probabilities IS DISTINCT FROM OLD.class_probabilities)
        )
    )
    EXECUTE FUNCTION maas_refuse_change_of_end('job');

CREATE OR REPLACE TRIGGER keep_end BEFORE UPDATE ON jobs_page FOR EACH ROW
    WHEN (
        OLD.state IN ('succeeded', 'partially_succeeded', 'failed', 'canceled', 'expired')
        AND (
            (NEW.state, NEW.tenant_id, NEW.job_id, NEW.model_version_id, NEW.number, NEW.attempt, NEW.units,
             NEW.quality, NEW.needs_review, NEW.class_probabilities, NEW.result_at, NEW.cached, NEW.cost_micros, NEW.error_code, NEW.started_at, NEW.finished_at)
            IS DISTINCT FROM
            (OLD.state, OLD.tenant_id, OLD.job_id, OLD.model_version_id, OLD.number, OLD.attempt, OLD.units,
             OLD.quality, OLD.needs_review, OLD.class_probabilities, OLD.result_at, OLD.cached, OLD.cost_micros, OLD.error_code, OLD.started_at, OLD.finished_at)
            OR NEW.error_detail NOT IN (OLD.error_detail, '')
        )
    )
    EXECUTE FUNCTION maas_refuse_change_of_end('page');

-- Inputs and results are large, so they are compared only by statements that name them.
CREATE OR REPLACE TRIGGER keep_end_input BEFORE UPDATE OF input, parameters ON jobs_job FOR EACH ROW
    WHEN (
        OLD.state IN ('succeeded', 'partially_succeeded', 'failed', 'canceled', 'expired')
        AND (
            (NEW.input IS NOT NULL AND NEW.input IS DISTINCT FROM OLD.input)
            OR (NEW.parameters <> '{}' AND NEW.parameters IS DISTINCT FROM OLD.parameters)
        )
    )
    EXECUTE FUNCTION maas_refuse_change_of_end('job');

CREATE OR REPLACE TRIGGER keep_end_result BEFORE UPDATE OF result ON jobs_page FOR EACH ROW
    WHEN (
        OLD.state IN ('succeeded', 'partially_succeeded', 'failed', 'canceled', 'expired')
        AND NEW.result IS NOT NULL AND NEW.result IS DISTINCT FROM OLD.result
    )
    EXECUTE FUNCTION maas_refuse_change_of_end('page');
