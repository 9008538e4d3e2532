-- Prepares the filling of a large database; the statements of rows.sql run after it, once for each part.
CREATE FUNCTION pg_temp.id_at(at timestamptz, seed bigint, salt int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(salt), 3, '0')
            || '8' || lpad(to_hex(seed), 15, '0'))::uuid $$;

CREATE TEMPORARY TABLE filler_tenant AS
SELECT n, pg_temp.id_at(now() - interval '2 years', n, 1) AS id FROM generate_series(1, %(tenants)s - 1) AS n;

INSERT INTO filler_tenant VALUES (0, %(tenant)s);

INSERT INTO tenants_tenant (id, name, state, created_at, suspended_closing, results_generation)
SELECT id, 'Tenant ' || n, 'active', now() - interval '2 years', false, 0 FROM filler_tenant WHERE n > 0;

INSERT INTO tenants_wallet (id, tenant_id, currency, kind, credit_line_micros, available_micros, held_micros, opened_at)
SELECT pg_temp.id_at(now() - interval '2 years', n, 2), id, 'EUR', 'invoiced', 0, 0, 0, now() - interval '2 years'
FROM filler_tenant
ON CONFLICT (tenant_id, currency) DO UPDATE SET opened_at = EXCLUDED.opened_at;

CREATE TEMPORARY TABLE filler_model AS
SELECT (row_number() OVER (ORDER BY v.id) - 1)::int AS n, v.id AS version_id, m.name
FROM inference_modelversion v JOIN inference_servedmodel m ON m.id = v.served_model_id;

ANALYZE filler_tenant;

ANALYZE filler_model
