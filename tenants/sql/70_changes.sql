-- What processes remember about tenants, keys, prices and models is true until a row here names it. Triggers write the
-- rows in the transaction of the change, so a change by hand is named as well.
CREATE OR REPLACE FUNCTION maas_note_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO public.tenants_change (kind, ref)
    VALUES (TG_ARGV[0], coalesce(to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END) ->> TG_ARGV[1], ''));
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION maas_note_change() FROM PUBLIC;

REVOKE ALL ON tenants_change FROM maas_app, maas_accounts, maas_operator;
GRANT SELECT ON tenants_change TO maas_app;
GRANT SELECT, DELETE ON tenants_change TO maas_operator;

-- A tenant: its state, its limits, its prices, whether its money is bounded, and the generation of its results.
CREATE OR REPLACE TRIGGER note_change AFTER DELETE OR UPDATE OF
    state, results_generation, requests_per_minute, tokens_per_minute, pages_per_minute, calls_at_once, unfinished_jobs,
    own_model_mb, tier_id
ON tenants_tenant FOR EACH ROW EXECUTE FUNCTION maas_note_change('tenant', 'id');
CREATE OR REPLACE TRIGGER note_change AFTER DELETE OR UPDATE OF
    public_id, secret_hash, livemode, scopes, expires_at, revoked_at, allowed_models, allowed_networks, budgets_of,
    requests_per_minute, tokens_per_minute, pages_per_minute, calls_at_once
ON tenants_apikey FOR EACH ROW EXECUTE FUNCTION maas_note_change('tenant', 'tenant_id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON tenants_modellimit FOR EACH ROW EXECUTE FUNCTION maas_note_change('tenant', 'tenant_id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON tenants_tenantprice FOR EACH ROW EXECUTE FUNCTION maas_note_change('tenant', 'tenant_id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON tenants_subscription FOR EACH ROW EXECUTE FUNCTION maas_note_change('tenant', 'tenant_id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF kind
ON tenants_wallet FOR EACH ROW EXECUTE FUNCTION maas_note_change('tenant', 'tenant_id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF api_key_id
ON tenants_budget FOR EACH ROW EXECUTE FUNCTION maas_note_change('tenant', 'tenant_id');

-- A plan: the limits and prices of every tenant that has it.
CREATE OR REPLACE TRIGGER note_change AFTER UPDATE OF
    currency, requests_per_minute, tokens_per_minute, pages_per_minute, calls_at_once, unfinished_jobs, own_model_mb,
    tier_id
ON tenants_plan FOR EACH ROW EXECUTE FUNCTION maas_note_change('plan', 'id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON tenants_planprice FOR EACH ROW EXECUTE FUNCTION maas_note_change('plan', 'plan_id');

-- The seconds until something about a key changes without any change to a row: it expires, another plan begins, or a
-- price of the tenant or of a plan does. Null if nothing is due.
GRANT CREATE ON SCHEMA public TO maas_operator;
SET LOCAL ROLE maas_operator;
CREATE OR REPLACE FUNCTION maas_key_lasts_s(tenant uuid, key uuid) RETURNS double precision
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT extract(epoch FROM min(due) - clock_timestamp())::double precision FROM (
        SELECT k.expires_at AS due FROM tenants_apikey k WHERE k.id = key
        UNION ALL SELECT s.starts_at FROM tenants_subscription s WHERE s.tenant_id = tenant
        UNION ALL SELECT p.valid_from FROM tenants_tenantprice p WHERE p.tenant_id = tenant
        UNION ALL SELECT min(p.valid_from) FROM tenants_planprice p WHERE p.valid_from > clock_timestamp()
    ) dues WHERE due > clock_timestamp()
$$;
REVOKE EXECUTE ON FUNCTION maas_key_lasts_s(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION maas_key_lasts_s(uuid, uuid) TO maas_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM maas_operator;
