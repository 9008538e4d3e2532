-- The few questions that requests may ask without naming a tenant, or about what their role does not see. Each answers
-- with one narrow row. pg_temp is named last, because unnamed it comes first, and a caller could put a temporary table
-- in a real one's place.
GRANT CREATE ON SCHEMA public TO maas_operator;
SET LOCAL ROLE maas_operator;

CREATE OR REPLACE FUNCTION maas_api_key(wanted text)
    RETURNS TABLE (id uuid, tenant_id uuid, secret_hash text, livemode boolean, scopes text[], expired boolean,
                   revoked_at timestamptz, tenant_state text, limits jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT k.id, k.tenant_id, k.secret_hash, k.livemode, k.scopes::text[],
        coalesce(k.expires_at <= clock_timestamp(), false), k.revoked_at, t.state,
        jsonb_build_object(
            'tenant', jsonb_build_object(
                'requests_per_minute', t.requests_per_minute, 'tokens_per_minute', t.tokens_per_minute,
                'pages_per_minute', t.pages_per_minute, 'calls_at_once', t.calls_at_once,
                'unfinished_jobs', t.unfinished_jobs, 'own_model_mb', t.own_model_mb
            ),
            'key', jsonb_build_object(
                'requests_per_minute', k.requests_per_minute, 'tokens_per_minute', k.tokens_per_minute,
                'pages_per_minute', k.pages_per_minute, 'calls_at_once', k.calls_at_once
            ),
            'models', (
                SELECT jsonb_object_agg(l.model, jsonb_build_object(
                    'requests_per_minute', l.requests_per_minute, 'tokens_per_minute', l.tokens_per_minute,
                    'pages_per_minute', l.pages_per_minute, 'calls_at_once', l.calls_at_once
                )) FROM tenants_modellimit l WHERE l.tenant_id = t.id
            )
        ) || maas_terms_of(t.id)
    FROM tenants_apikey k JOIN tenants_tenant t ON t.id = k.tenant_id
    WHERE k.public_id = wanted
$$;

CREATE OR REPLACE FUNCTION maas_memberships_of(person uuid)
    RETURNS TABLE (tenant_id uuid, tenant_name text, tenant_state text, role text, limits jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT t.id, t.name, t.state, m.role,
        jsonb_build_object(
            'tenant', jsonb_build_object(
                'requests_per_minute', t.requests_per_minute, 'tokens_per_minute', t.tokens_per_minute,
                'pages_per_minute', t.pages_per_minute, 'calls_at_once', t.calls_at_once,
                'unfinished_jobs', t.unfinished_jobs, 'own_model_mb', t.own_model_mb
            ),
            'models', (
                SELECT jsonb_object_agg(l.model, jsonb_build_object(
                    'requests_per_minute', l.requests_per_minute, 'tokens_per_minute', l.tokens_per_minute,
                    'pages_per_minute', l.pages_per_minute, 'calls_at_once', l.calls_at_once
                )) FROM tenants_modellimit l WHERE l.tenant_id = t.id
            )
        ) || maas_terms_of(t.id)
    FROM tenants_membership m
    JOIN tenants_tenant t ON t.id = m.tenant_id
    JOIN tenants_user u ON u.id = m.user_id
    WHERE m.user_id = person AND u.is_active
    ORDER BY t.state <> 'active', m.created_at, m.id
$$;

-- The session of a cookie. Requests do not read the table.
CREATE OR REPLACE FUNCTION maas_session(wanted text)
    RETURNS TABLE (session_key varchar, session_data text, expire_date timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT s.session_key, s.session_data, s.expire_date FROM django_session s
    WHERE s.session_key = wanted AND s.expire_date > clock_timestamp()
$$;

-- The key whose budgets `key` uses: a key that replaced another one continues its budgets.
CREATE OR REPLACE FUNCTION maas_budget_key(key uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT coalesce((SELECT k.budgets_of FROM tenants_apikey k WHERE k.id = key), key)
$$;

CREATE OR REPLACE FUNCTION maas_key_restrictions(key uuid)
    RETURNS TABLE (allowed_models text[], allowed_networks text[])
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT k.allowed_models::text[], k.allowed_networks::text[] FROM tenants_apikey k WHERE k.id = key
$$;

CREATE OR REPLACE FUNCTION maas_closes_at(wanted uuid) RETURNS timestamptz
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT t.closes_at FROM tenants_tenant t
    WHERE t.id = wanted AND t.state = 'closing' AND NOT t.suspended_closing
$$;

-- Whether calls of this key have to reserve money before they run.
CREATE OR REPLACE FUNCTION maas_money_is_bounded(tenant uuid, key uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM tenants_wallet w WHERE w.tenant_id = tenant AND w.kind = 'prepaid')
        OR EXISTS (
            SELECT FROM tenants_budget b WHERE b.tenant_id = tenant
            AND (b.api_key_id IS NULL OR b.api_key_id = (SELECT public.maas_budget_key(key)))
        )
$$;

REVOKE EXECUTE ON FUNCTION
    maas_api_key(text), maas_memberships_of(uuid), maas_session(text), maas_budget_key(uuid), maas_key_restrictions(uuid),
    maas_closes_at(uuid), maas_money_is_bounded(uuid, uuid)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    maas_api_key(text), maas_memberships_of(uuid), maas_session(text), maas_budget_key(uuid), maas_key_restrictions(uuid),
    maas_closes_at(uuid), maas_money_is_bounded(uuid, uuid)
TO maas_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM maas_operator;
