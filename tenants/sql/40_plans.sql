-- A version of a price or an included amount stays as it was once it has begun, and a plan that was sold keeps its fee.
CREATE OR REPLACE FUNCTION maas_keep_begun() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz;
    begins timestamptz;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        began := (to_jsonb(OLD) ->> TG_ARGV[0])::timestamptz;
        IF began <= clock_timestamp() THEN
            RAISE EXCEPTION '% % holds since % and cannot be changed: add one that follows it',
                TG_TABLE_NAME, OLD.id, began USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    begins := (to_jsonb(NEW) ->> TG_ARGV[0])::timestamptz;
    IF begins < clock_timestamp() - interval '1 minute' THEN
        RAISE EXCEPTION '% cannot begin at %, which is over', TG_TABLE_NAME, begins USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER keep_begun BEFORE INSERT OR UPDATE OR DELETE ON tenants_planincluded
    FOR EACH ROW EXECUTE FUNCTION maas_keep_begun('valid_from');
CREATE OR REPLACE TRIGGER keep_begun BEFORE INSERT OR UPDATE OR DELETE ON tenants_planprice
    FOR EACH ROW EXECUTE FUNCTION maas_keep_begun('valid_from');
CREATE OR REPLACE TRIGGER keep_begun BEFORE INSERT OR UPDATE OR DELETE ON tenants_tenantprice
    FOR EACH ROW EXECUTE FUNCTION maas_keep_begun('valid_from');
CREATE OR REPLACE TRIGGER keep_begun BEFORE INSERT OR UPDATE OR DELETE ON tenants_subscription
    FOR EACH ROW EXECUTE FUNCTION maas_keep_begun('starts_at');

CREATE OR REPLACE FUNCTION maas_keep_plan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM tenants_subscription WHERE plan_id = OLD.id) THEN
        RAISE EXCEPTION 'plan % has been sold: its fee and currency stay', OLD.code USING ERRCODE = 'check_violation';
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE OR REPLACE TRIGGER keep_sold BEFORE UPDATE OF currency, monthly_fee_micros ON tenants_plan FOR EACH ROW
    WHEN (OLD.currency IS DISTINCT FROM NEW.currency OR OLD.monthly_fee_micros IS DISTINCT FROM NEW.monthly_fee_micros)
    EXECUTE FUNCTION maas_keep_plan();

-- Of each limit, the tenant's own number, or else that of its plan.
CREATE OR REPLACE VIEW tenants_chosenlimits WITH (security_invoker = true) AS
SELECT
    t.id, t.state, p.id AS plan_id,
    coalesce(t.weight::integer, p.weight::integer, 1) AS weight,
    coalesce(t.requests_per_minute, p.requests_per_minute) AS requests_per_minute,
    coalesce(t.tokens_per_minute, p.tokens_per_minute) AS tokens_per_minute,
    coalesce(t.pages_per_minute, p.pages_per_minute) AS pages_per_minute,
    coalesce(t.calls_at_once, p.calls_at_once) AS calls_at_once,
    coalesce(t.unfinished_jobs, p.unfinished_jobs) AS unfinished_jobs,
    coalesce(t.unfinished_pages, p.unfinished_pages) AS unfinished_pages,
    coalesce(t.pages_at_once, p.pages_at_once) AS pages_at_once,
    coalesce(t.keep_documents_days, p.keep_documents_days) AS keep_documents_days,
    coalesce(t.keep_results_days, p.keep_results_days) AS keep_results_days,
    coalesce(t.keep_events_days, p.keep_events_days) AS keep_events_days,
    coalesce(t.storage_mb, p.storage_mb) AS storage_mb,
    coalesce(t.own_models, p.own_models) AS own_models,
    coalesce(t.own_model_mb, p.own_model_mb) AS own_model_mb,
    coalesce(t.tier_id, p.tier_id) AS tier_id
FROM tenants_tenant t LEFT JOIN tenants_plan p ON p.id = (
    SELECT s.plan_id FROM tenants_subscription s
    WHERE s.tenant_id = t.id AND s.starts_at <= clock_timestamp() ORDER BY s.starts_at DESC LIMIT 1
);

-- The limits of a tenant's plan, and of each model and meter the one price that holds now. An empty amount ends a
-- price.
CREATE OR REPLACE FUNCTION maas_terms_of(wanted uuid) RETURNS jsonb
    LANGUAGE sql STABLE SET search_path = pg_catalog, public
AS $$
    WITH plan AS (
        SELECT p.* FROM tenants_plan p WHERE p.id = (
            SELECT s.plan_id FROM tenants_subscription s
            WHERE s.tenant_id = wanted AND s.starts_at <= clock_timestamp() ORDER BY s.starts_at DESC LIMIT 1
        )
    ),
    held AS (
        (SELECT DISTINCT ON (v.model, v.meter) 'tenant' AS of, v.id, v.model, v.meter, v.amount_micros,
                v.cached_micros, v.review_micros, v.per, v.currency, v.valid_from
         FROM tenants_tenantprice v WHERE v.tenant_id = wanted AND v.valid_from <= clock_timestamp()
         ORDER BY v.model, v.meter, v.valid_from DESC)
        UNION ALL
        (SELECT DISTINCT ON (v.model, v.meter) 'plan', v.id, v.model, v.meter, v.amount_micros,
                v.cached_micros, v.review_micros, v.per, plan.currency, v.valid_from
         FROM plan JOIN tenants_planprice v ON v.plan_id = plan.id AND v.valid_from <= clock_timestamp()
         ORDER BY v.model, v.meter, v.valid_from DESC)
    )
    SELECT jsonb_build_object(
        'plan', (
            SELECT jsonb_build_object(
                'requests_per_minute', plan.requests_per_minute, 'tokens_per_minute', plan.tokens_per_minute,
                'pages_per_minute', plan.pages_per_minute, 'calls_at_once', plan.calls_at_once,
                'unfinished_jobs', plan.unfinished_jobs, 'own_model_mb', plan.own_model_mb
            ) FROM plan
        ),
        'prices', (SELECT jsonb_agg(to_jsonb(held)) FROM held WHERE amount_micros IS NOT NULL)
    )
$$;
