"""Fill an account with the data of a year, directly in the database: a thousand jobs in every state."""

import psycopg

from tests.flows.product import Account, Product

NAMES = (
    "invoice_2026-03.pdf",
    "Ein sehr langer Name, wie ihn Scanner und Buchhalter gern vergeben, mit Datum 2026-03-14 und Nummer 4711.pdf",
    "Protokoll_" + "x" * 180 + ".pdf",
    "发票 2026 年 3 月.pdf",
    "فاتورة مارس.pdf",
    "<b>not bold</b> & \"quoted\" 'name'.pdf",
)
_STATES = ("succeeded", "succeeded", "partially_succeeded", "failed", "canceled", "succeeded")

_DOCUMENTS = """
INSERT INTO jobs_document (id, tenant_id, name, sha256, size_bytes, content_type, kind, pages_total, file,
                           livemode, created_at)
SELECT gen_random_uuid(), %(tenant)s::uuid, names.name, md5(%(tenant)s::text || names.name) || md5(names.name), 48000,
       'application/pdf', 'pdf', 3, '', true, now()
FROM unnest(%(names)s::text[]) AS names(name)
"""

_JOBS = """
WITH version AS (
    SELECT v.id FROM inference_modelversion v JOIN inference_servedmodel m ON m.id = v.served_model_id
    WHERE m.name = 'parse' ORDER BY v.number LIMIT 1
), documents AS (
    SELECT array_agg(id ORDER BY name) AS ids FROM jobs_document WHERE tenant_id = %(tenant)s::uuid
), drawn AS (
    -- One of each that is under way: more would fill the window of released work, and nobody else's would run.
    SELECT n, CASE n WHEN 6 THEN 'running' WHEN 7 THEN 'queued'
                     ELSE (%(states)s::text[])[1 + n %% array_length(%(states)s::text[], 1)] END AS state,
           now() - n * interval '7 hours' AS at
    FROM generate_series(1, %(many)s) AS n
)
INSERT INTO jobs_job (id, tenant_id, model_version_id, document_id, parameters, state, pages_total, pages_succeeded,
                      pages_failed, price, cost_micros, currency, error_code, error_detail, livemode, request_id,
                      last_seq, created_at, started_at, finished_at)
SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
        || '8' || substr(md5(%(tenant)s::text || n), 1, 15))::uuid,
       %(tenant)s::uuid, version.id, documents.ids[1 + n %% array_length(documents.ids, 1)], '{}', state, 3,
       CASE state WHEN 'succeeded' THEN 3 WHEN 'partially_succeeded' THEN 2 WHEN 'running' THEN 1 ELSE 0 END,
       CASE state WHEN 'partially_succeeded' THEN 1 WHEN 'failed' THEN 3 ELSE 0 END,
       '{"meter": "page", "amount_micros": 1500, "per": 1, "currency": "EUR"}',
       CASE state WHEN 'succeeded' THEN 4500 WHEN 'partially_succeeded' THEN 3000 WHEN 'running' THEN 1500 ELSE 0 END,
       'EUR',
       CASE WHEN state IN ('failed', 'partially_succeeded') THEN 'pages_failed' ELSE '' END,
       CASE state WHEN 'failed' THEN '3 of 3 pages failed; page 1: The page is blank in a way that no model reads.'
                  WHEN 'partially_succeeded' THEN '1 of 3 pages failed; page 3: The picture is broken.' ELSE '' END,
       true, '', 0, at, at + interval '1 second',
       CASE WHEN state IN ('running', 'queued') THEN NULL ELSE at + interval '4 seconds' END
FROM drawn, version, documents
"""

# The pages of jobs in progress have a lease that ends far in the future, so that no worker and no sweep touches them.
_PAGES = """
INSERT INTO jobs_page (id, tenant_id, job_id, model_version_id, number, state, attempt, run_after, lease_token,
                       lease_until, worker, result, error_code, error_detail, cost_micros, created_at,
                       started_at, finished_at)
SELECT gen_random_uuid(), j.tenant_id, j.id, j.model_version_id, number, page.state, 1,
       j.created_at + interval '30 years', 1,
       CASE page.state WHEN 'running' THEN now() + interval '1 year' END, 'worker-1',
       CASE page.state WHEN 'succeeded' THEN '{"text": "Invoice 4711", "width": 1654, "height": 2339, "source": "ocr",
         "lines": [{"text": "Invoice 4711", "box": null, "confidence": 0.93}]}'::jsonb END,
       CASE page.state WHEN 'failed' THEN 'page_unreadable' ELSE '' END,
       CASE page.state WHEN 'failed' THEN 'The picture is broken.' ELSE '' END,
       CASE page.state WHEN 'succeeded' THEN 1500 ELSE 0 END, j.created_at, j.started_at, j.finished_at
FROM jobs_job j, generate_series(1, 3) AS number, LATERAL (
    SELECT CASE WHEN j.state = 'canceled' THEN 'canceled' WHEN number <= j.pages_succeeded THEN 'succeeded'
                WHEN number <= j.pages_succeeded + j.pages_failed THEN 'failed'
                WHEN j.state = 'running' AND number = 2 THEN 'running' ELSE 'queued' END AS state
) AS page
WHERE j.tenant_id = %(tenant)s::uuid
"""

_EVENTS = """
INSERT INTO jobs_event (tenant_id, job_id, seq, type, data, created_at)
SELECT tenant_id, id, 1, 'job.queued', '{"state": "queued", "pages_total": 3}', created_at
FROM jobs_job WHERE tenant_id = %(tenant)s::uuid
"""

# The newest jobs can be found by search. The scheduler indexes them like those of an older release.
_TO_INDEX = """
INSERT INTO jobs_jobtoindex (job_id, tenant_id)
SELECT id, tenant_id FROM jobs_job WHERE tenant_id = %(tenant)s::uuid ORDER BY id DESC LIMIT 50
"""

_LONG_NAME = """
UPDATE tenants_tenant SET name = 'Crowded, with a name that is far too long for any corner of a page'
WHERE id = %(tenant)s::uuid
"""

# The batches in progress have no tasks, so that no worker touches them.
_BATCHES = """
INSERT INTO jobs_batch (id, tenant_id, endpoint, model_version_id, price, status, ending, input_file_id,
                        output_file_id, errors, lines_total, lines_completed, lines_failed, tokens, cost_micros,
                        livemode, request_id, created_at, expires_at, finished_at)
SELECT gen_random_uuid(), %(tenant)s::uuid, '/v2/models/' || repeat('a-very-long-name', 6) || '/infer',
       CASE WHEN status <> 'failed' THEN (SELECT id FROM inference_modelversion LIMIT 1) END,
       CASE WHEN status <> 'failed'
            THEN '{"meter": "page", "amount_micros": 1, "per": 1, "currency": "EUR"}'::jsonb END,
       status, '', gen_random_uuid(), NULL,
       CASE status WHEN 'failed' THEN (
           SELECT jsonb_agg(jsonb_build_object('code', 'invalid_url', 'param', 'url', 'line', n, 'message',
                  'url must be the endpoint of the batch; it is ' || repeat('/v1/somewhere', 5)))
           FROM generate_series(1, 9) AS n) END,
       CASE WHEN status IN ('failed', 'validating') THEN 0 ELSE 50000 END, 12345, 17, 1, 1, true, '', now(),
       now() + interval '1 year', now()
FROM unnest(ARRAY['validating', 'failed', 'in_progress', 'finalizing', 'completed', 'expired', 'cancelling',
                  'cancelled']) AS status
"""

# The archives in progress have a lease that ends far in the future, so that no worker touches them.
_ARCHIVES = """
INSERT INTO jobs_archive (id, tenant_id, name, file, sha256, size_bytes, state, model, parameters, priority,
                          webhook_url, error_code, error_detail, waiting_code, livemode, request_id, attempt,
                          run_after, lease_token, lease_until, worker, created_at, finished_at)
SELECT gen_random_uuid(), %(tenant)s::uuid, repeat('scans-of-a-very-long-name', 8) || '.zip', '', repeat('0', 64),
       123456789, state, CASE state WHEN 'done' THEN '' ELSE 'parse@1' END, '{}', 2, '',
       CASE state WHEN 'failed' THEN 'archive_expired' ELSE '' END,
       CASE state WHEN 'failed' THEN 'What still waited was given up after seven days.' ELSE '' END,
       CASE state WHEN 'unpacking' THEN 'too_many_unfinished_jobs' ELSE '' END, true, '', 0, now(), 1,
       now() + interval '1 year', 'worker-1', now(), CASE state WHEN 'unpacking' THEN NULL ELSE now() END
FROM unnest(ARRAY['unpacking', 'done', 'failed', 'canceled']) AS state
"""

_ENTRIES = """
INSERT INTO jobs_archiveentry (id, tenant_id, archive_id, number, name, size_bytes, state, document_id, job_id,
                               error_code, error_detail)
SELECT gen_random_uuid(), a.tenant_id, a.id, n, (%(names)s::text[])[1 + n %% array_length(%(names)s::text[], 1)],
       n * 12345, CASE WHEN entry.state = 'waiting' AND a.state <> 'unpacking' THEN 'canceled' ELSE entry.state END,
       NULL, CASE entry.state WHEN 'done' THEN (
           SELECT id FROM jobs_job j WHERE j.tenant_id = a.tenant_id ORDER BY id OFFSET n LIMIT 1) END,
       CASE entry.state WHEN 'failed' THEN 'document_corrupt' WHEN 'skipped' THEN 'folder' ELSE '' END,
       CASE entry.state WHEN 'failed' THEN 'The file is damaged: ' || repeat('it_has_no_end', 20) ELSE '' END
FROM jobs_archive a, generate_series(1, 230) AS n, LATERAL (
    SELECT (ARRAY['done', 'done', 'failed', 'skipped', 'waiting'])[1 + n %% 5] AS state) AS entry
WHERE a.tenant_id = %(tenant)s::uuid
"""

_USAGE = """
INSERT INTO tenants_usagerecord (id, tenant_id, source_kind, source_id, meter, model, version, quantity, price,
                                 amount_micros, currency, livemode, created_at)
SELECT gen_random_uuid(), %(tenant)s::uuid, 'page', gen_random_uuid(), 'page',
       (ARRAY['parse', 'ocr', 'my-model'])[1 + n %% 3], 1,
       1 + n %% 9, '{}', 1500 * (1 + n %% 9), 'EUR', true, now() - n * interval '1 hour'
FROM generate_series(1, %(many)s) AS n
"""


def crowd(product: Product, account: Account, many: int = 1000) -> None:
    """Store `many` jobs of three pages each, their events, and as many usage rows, and give the account a long name."""
    values = {"tenant": account.tenant_id, "many": many, "names": list(NAMES), "states": list(_STATES)}
    with psycopg.connect(product.service("MAAS_DATABASE_URL"), options="-c role=maas_operator") as rows:
        for statement in (
            _DOCUMENTS,
            _JOBS,
            _PAGES,
            _EVENTS,
            _TO_INDEX,
            _BATCHES,
            _ARCHIVES,
            _ENTRIES,
            _USAGE,
            _LONG_NAME,
        ):
            rows.execute(statement, values)
