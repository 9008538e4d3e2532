-- Fills one part: the jobs from :first to :last of :jobs, of ten pages on average, over the last 400 days. The first
-- tenant has half of all. Nearly all have succeeded; the last hundred wait, and eight of them are being read.
DROP TABLE IF EXISTS filler;

CREATE TEMPORARY TABLE filler AS
SELECT numbered.*, tenant.id AS tenant_id, model.version_id, model.name AS model,
       pg_temp.id_at(at, numbered.n, 3) AS id, pg_temp.id_at(at, numbered.n, 4) AS document_id,
       (1 + numbered.n %% 19)::int AS pages, (numbered.n %% 41 = 0)::int AS failed,
       CASE WHEN numbered.n > %(jobs)s - 92 THEN 'queued' WHEN numbered.n > %(jobs)s - 100 THEN 'running'
            WHEN numbered.n %% 1009 = 0 THEN 'canceled' WHEN numbered.n %% 41 <> 0 THEN 'succeeded'
            WHEN numbered.n %% 19 = 0 THEN 'failed' ELSE 'partially_succeeded' END AS state
FROM (
    SELECT n, CASE WHEN n > %(jobs)s - 100 THEN now() - interval '1 second' * (%(jobs)s - n + 1)
                ELSE now() - interval '400 days' * (%(jobs)s - n + 1) / %(jobs)s END AS at,
           CASE WHEN n %% 2 = 0 THEN 0 ELSE n / 2 %% %(tenants)s END AS tenant
    FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS n
) AS numbered
JOIN filler_tenant tenant ON tenant.n = numbered.tenant
JOIN filler_model model ON model.n = numbered.n %% (SELECT count(*) FROM filler_model);

ANALYZE filler;

INSERT INTO jobs_document (id, tenant_id, name, sha256, size_bytes, content_type, kind, pages_total, file, livemode,
                           created_at)
SELECT document_id, tenant_id, 'Invoice ' || n || '.pdf', md5(n::text), 100000 + n %% 900000, 'application/pdf', 'pdf',
       pages, 'none', true, at
FROM filler;

INSERT INTO jobs_job (id, tenant_id, model_version_id, document_id, parameters, state, pages_total, pages_succeeded,
                      pages_failed, price, cost_micros, currency, error_code, error_detail, livemode, request_id,
                      last_seq, created_at, started_at, finished_at)
SELECT id, tenant_id, version_id, document_id, '{}', state, pages,
       CASE WHEN state LIKE '%%succeeded' OR state = 'failed' THEN pages - failed ELSE 0 END,
       CASE WHEN state LIKE '%%succeeded' OR state = 'failed' THEN failed ELSE 0 END,
       '{"per": 1, "meter": "page", "micros": 1000, "currency": "EUR"}',
       CASE WHEN state LIKE '%%succeeded' OR state = 'failed' THEN 1000 * (pages - failed) ELSE 0 END, 'EUR',
       CASE WHEN state = 'failed' THEN 'model_timeout' ELSE '' END, '', true, '', 2 * pages + 3, at,
       CASE WHEN state <> 'queued' THEN at + interval '1 second' END,
       CASE WHEN state NOT IN ('queued', 'running') THEN at + interval '1 minute' END
FROM filler;

DROP TABLE IF EXISTS filler_page;

CREATE TEMPORARY TABLE filler_page AS
SELECT f.n, f.n * 20 + number AS seed, f.at, f.id AS job_id, f.tenant_id, f.version_id, f.model, number,
       pg_temp.id_at(f.at, f.n * 20 + number, 5) AS id,
       CASE WHEN f.state IN ('queued', 'canceled') THEN f.state WHEN f.state = 'running' AND number = 1 THEN 'running'
            WHEN f.state = 'running' THEN 'queued' WHEN f.failed = 1 AND number = 1 THEN 'failed' ELSE 'succeeded'
            END AS state
FROM filler f CROSS JOIN LATERAL generate_series(1, f.pages) AS number;

INSERT INTO jobs_page (id, tenant_id, job_id, model_version_id, number, state, attempt, run_after, worker, lease_token,
                       lease_until, result, units, error_code, error_detail, cost_micros, cache_key, result_at,
                       created_at, queue_at, started_at, finished_at)
SELECT id, tenant_id, job_id, version_id, number, state, 1, at, CASE WHEN state IN ('queued', 'canceled') THEN ''
           ELSE 'worker-' || seed / 1000000 END,
       CASE WHEN state = 'running' THEN seed END, CASE WHEN state = 'running' THEN now() + interval '1 day' END,
       CASE WHEN state = 'succeeded' THEN jsonb_build_object('text', 'Page ' || number || ' of invoice ' || n,
           'lines', jsonb_build_array(jsonb_build_object('text', 'Page ' || number, 'box', '[0, 0, 100, 20]'::jsonb))) END,
       CASE WHEN state = 'succeeded' THEN '{"pages": 1, "calls": 1}'::jsonb END,
       CASE WHEN state = 'failed' THEN 'model_timeout' ELSE '' END, '', (state = 'succeeded')::int * 1000,
       CASE WHEN state = 'succeeded' THEN decode(md5(seed::text) || md5(n::text), 'hex') END,
       CASE WHEN state = 'succeeded' THEN at + interval '50 seconds' END, at, at,
       CASE WHEN state NOT IN ('queued', 'canceled') THEN at + interval '40 seconds' END,
       CASE WHEN state NOT IN ('queued', 'running') THEN at + interval '50 seconds' END
FROM filler_page;

INSERT INTO jobs_event (tenant_id, job_id, seq, type, data, created_at)
SELECT tenant_id, id, 1, 'job.queued', jsonb_build_object('state', 'queued', 'pages_total', pages), at
FROM filler WHERE n %% %(event_jobs)s = 0;

INSERT INTO jobs_event (tenant_id, job_id, seq, type, data, created_at)
SELECT tenant_id, job_id, 2 * number + kind.n, kind.name, jsonb_build_object('page', number, 'state', state), at
FROM filler_page CROSS JOIN (VALUES (0, 'page.running'), (1, 'page.succeeded')) AS kind (n, name)
WHERE filler_page.n %% %(event_jobs)s = 0 AND state = 'succeeded';

INSERT INTO jobs_pagetext (id, tenant_id, job_id, number, words)
SELECT id, tenant_id, job_id, number,
       array_to_tsvector(ARRAY(SELECT DISTINCT right(tenant_id::text, 8) || w || md5((seed * w %% 50021)::text)
                               FROM generate_series(1, 20) w))
FROM filler_page WHERE state = 'succeeded' AND n %% %(text_jobs)s = 0;

INSERT INTO tenants_usagerecord (id, tenant_id, source_kind, source_id, meter, model, version, quantity, price,
                                 amount_micros, currency, livemode, created_at)
SELECT pg_temp.id_at(at, seed, 6), tenant_id, 'page', id, 'page', model, 1, 1,
       '{"per": 1, "meter": "page", "micros": 1000, "currency": "EUR"}', 1000, 'EUR', true, at + interval '50 seconds'
FROM filler_page WHERE state = 'succeeded';

INSERT INTO tenants_usagerecord (id, tenant_id, source_kind, source_id, meter, model, version, quantity, price,
                                 amount_micros, currency, livemode, created_at)
SELECT pg_temp.id_at(f.at, f.n * %(calls)s + call, 7), f.tenant_id, 'call', pg_temp.id_at(f.at, f.n * %(calls)s + call, 7),
       'call', f.model, 1, 1, '{"per": 1, "meter": "call", "micros": 10, "currency": "EUR"}', 10, 'EUR', true,
       f.at + interval '50 seconds'
FROM filler f CROSS JOIN LATERAL generate_series(1, %(calls)s) AS call;

-- A job has a charge of its own. Calls are charged in groups, here those of one row of the filler.
WITH charged AS (
    SELECT pg_temp.id_at(at, n, 8) AS id, tenant_id, 'job' AS source_kind, id AS source_id, at,
           at + interval '1 minute' AS ended, 1000 * (pages - failed) AS micros
    FROM filler WHERE state LIKE '%%succeeded'
    UNION ALL
    SELECT pg_temp.id_at(at, n, 9), tenant_id, 'call', pg_temp.id_at(at, n, 10), at, at + interval '50 seconds',
           10 * %(calls)s
    FROM filler WHERE %(calls)s > 0
), written AS (
    INSERT INTO tenants_ledgertransaction (id, tenant_id, kind, source_kind, source_id, currency, day, reason, made_by,
                                           created_at)
    SELECT id, tenant_id, 'charge', source_kind, source_id, 'EUR', (ended AT TIME ZONE 'UTC')::date, '', '', ended
    FROM charged WHERE micros > 0
)
INSERT INTO tenants_ledgerentry (tenant_id, transaction_id, account, amount_micros, currency)
SELECT tenant_id, id, side.account, side.sign * micros, 'EUR'
FROM charged CROSS JOIN (VALUES ('credit', -1), ('revenue', 1)) AS side (account, sign)
WHERE micros > 0
