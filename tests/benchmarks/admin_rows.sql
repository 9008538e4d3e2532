-- Fills an empty database; bench_admin.py puts numbers for :jobs and :tenants. Over four days; tenants and states are
-- as uneven as in life: the first tenant has half of all, and most jobs succeed.
SET session_replication_role = replica;
SET synchronous_commit = off;

CREATE FUNCTION pg_temp.id_at(at timestamptz, seed text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(seed), 1, 3)
            || '8' || substr(md5(seed), 4, 15))::uuid $$;

INSERT INTO inference_servedmodel (name, title, description, state, accepts, parameters, price_meter, price_micros,
                                   price_per, currency, created_at)
SELECT name, name, '', 'active', '{document}', '[]', 'page', 1000, 1, 'EUR', now()
FROM unnest(ARRAY['parse', 'ocr', 'embed', 'rare']) AS name;

INSERT INTO inference_modelversion (served_model_id, number, runtime, digest, artifacts, config, signature, state,
                                    created_at)
SELECT id, 1, 'ocr', md5(name), '{}', '{}', '{}', 'ready', now() FROM inference_servedmodel;

UPDATE inference_servedmodel m SET current_id = v.id FROM inference_modelversion v WHERE v.served_model_id = m.id;

CREATE TEMPORARY TABLE filler_tenant AS
SELECT n, pg_temp.id_at(now() - interval '10 days', 't' || n) AS id FROM generate_series(1, :tenants) AS n;

INSERT INTO tenants_tenant (id, name, state, created_at) SELECT id, 'Tenant ' || n, 'active', now() FROM filler_tenant;

CREATE TEMPORARY TABLE filler AS
SELECT n, at, pg_temp.id_at(at, n::text) AS id, pg_temp.id_at(at, 'p' || n) AS page_id,
       pg_temp.id_at(at, 'd' || n) AS document_id,
       CASE WHEN n % 2 = 0 THEN 1 ELSE 1 + n % :tenants END AS tenant,
       CASE WHEN n % 20011 = 0 THEN 'rare' ELSE (ARRAY['embed', 'ocr', 'parse'])[1 + n % 3] END AS model,
       CASE WHEN n > :jobs - 2000 THEN 'queued' WHEN n > :jobs - 2032 THEN 'running' WHEN n % 97 = 0 THEN 'failed'
            WHEN n % 1009 = 0 THEN 'canceled' ELSE 'succeeded' END AS state
FROM (SELECT n, now() - interval '4 days' * (:jobs - n) / :jobs AS at FROM generate_series(1, :jobs) AS n) AS numbered;

INSERT INTO jobs_document (id, tenant_id, name, sha256, size_bytes, content_type, kind, pages_total, file, livemode,
                           created_at)
SELECT f.document_id, t.id, 'Invoice ' || f.n || '.pdf', md5(f.n::text), 100000 + f.n % 900000, 'application/pdf',
       'pdf', 1, 'none', true, f.at
FROM filler f JOIN filler_tenant t ON t.n = f.tenant WHERE f.n % 5 = 0;

INSERT INTO jobs_job (id, tenant_id, model_version_id, document_id, parameters, state, pages_total, pages_succeeded,
                      pages_failed, price, cost_micros, currency, error_code, error_detail, livemode, request_id,
                      last_seq, created_at, started_at, finished_at)
SELECT f.id, t.id, v.id, CASE WHEN f.n % 5 = 0 THEN f.document_id END, '{}', f.state, 1, (f.state = 'succeeded')::int,
       (f.state = 'failed')::int, '{}', 1000, 'EUR',
       CASE WHEN f.state <> 'failed' THEN '' WHEN f.n % 7 = 0 THEN 'worker_lost' ELSE 'model_timeout' END,
       '', true, '', 4, f.at, CASE WHEN f.state <> 'queued' THEN f.at + interval '1 second' END,
       CASE WHEN f.state NOT IN ('queued', 'running') THEN f.at + interval '2 seconds' END
FROM filler f JOIN filler_tenant t ON t.n = f.tenant
JOIN inference_servedmodel m ON m.name = f.model JOIN inference_modelversion v ON v.served_model_id = m.id;

INSERT INTO jobs_page (id, tenant_id, job_id, model_version_id, number, state, attempt, run_after, worker, error_code,
                       error_detail, cost_micros, created_at, started_at, finished_at)
SELECT f.page_id, j.tenant_id, j.id, j.model_version_id, 1, j.state, 1, j.created_at,
       CASE WHEN j.state = 'queued' THEN '' ELSE 'worker-' || f.n / 50000 END, j.error_code, '', 1000, j.created_at,
       j.started_at, j.finished_at
FROM filler f JOIN jobs_job j ON j.id = f.id;

INSERT INTO jobs_event (tenant_id, job_id, seq, type, data, created_at)
SELECT tenant_id, id, 1, 'job.queued', '{"pages_total": 1}', created_at FROM jobs_job;

INSERT INTO tenants_usagerecord (id, tenant_id, source_kind, source_id, meter, model, version, quantity, price,
                                 amount_micros, currency, livemode, created_at)
SELECT f.id, j.tenant_id, 'page', f.page_id, 'page', f.model, 1, 1, '{}', 1000, 'EUR', true, f.at
FROM filler f JOIN jobs_job j ON j.id = f.id WHERE f.state = 'succeeded';

VACUUM ANALYZE
