"""The gates of jobs, uploads, files, webhooks, streams and exports."""

from django.utils.translation import gettext_lazy as _

from tenants.core.gates import FIXED, OUTAGE, Gate

GATES = (
    Gate(
        "unfinished_jobs",
        "too_many_unfinished_jobs",
        _("Unfinished jobs"),
        _("account"),
        _("Plan or account: limits; MAAS_UNFINISHED_JOBS"),
    ),
    Gate(
        "unfinished_pages",
        "too_many_unfinished_pages",
        _("Unfinished pages"),
        _("account"),
        _("Plan or account: limits; MAAS_UNFINISHED_PAGES"),
    ),
    Gate(
        "own_backlog",
        "backlog_too_long",
        _("Age that the account's own queued pages would reach"),
        _("account and model"),
        _("MAAS_MAX_QUEUE_AGE_INTERACTIVE_S, …STANDARD_S, …BULK_S"),
    ),
    Gate(
        "queue_age",
        "queue_too_long",
        _("Age that queued pages of everybody would reach"),
        _("model"),
        _("MAAS_MAX_QUEUE_AGE_INTERACTIVE_S, …STANDARD_S, …BULK_S"),
    ),
    Gate(
        "submissions",
        "rate_limited",
        _("Submissions of one account at the same time"),
        _("account"),
        _("MAAS_WEB_THREADS"),
    ),
    Gate(
        "submissions_of_all",
        "overloaded",
        _("Submissions of all accounts at the same time"),
        _("process"),
        _("MAAS_WEB_THREADS"),
    ),
    Gate(
        "readers",
        "reader_unavailable",
        _("Documents that wait for a reader"),
        _("process and account"),
        _("MAAS_READER_CHILDREN"),
    ),
    Gate("waiting_documents", "overloaded", _("Documents that wait to be checked"), _("account"), FIXED),
    Gate(
        "fetches",
        "overloaded",
        _("Documents that are fetched from URLs at the same time"),
        _("process and account"),
        _("MAAS_FETCHES"),
    ),
    Gate(
        "fetch_circuit",
        "url_paused",
        _("Fetches from a server that keeps failing"),
        _("account and server"),
        FIXED,
    ),
    Gate("open_archives", "too_many_archives", _("Archives that are being unpacked"), _("account"), FIXED),
    Gate("class_sets", "too_many_class_sets", _("Class sets"), _("account and mode"), FIXED),
    Gate("unfinished_batches", "too_many_batches", _("Unfinished batches"), _("account"), FIXED),
    Gate(
        "stored_files",
        "too_many_files",
        _("Files of batches, by number and size"),
        _("account"),
        _("MAAS_MAX_FILES, MAAS_MAX_FILES_BYTES"),
    ),
    Gate(
        "webhook_endpoints",
        "too_many_webhook_endpoints",
        _("Webhook endpoints"),
        _("account and mode"),
        FIXED,
    ),
    Gate(
        "webhook_servers",
        "too_many_webhook_endpoints",
        _("Servers to which single jobs send webhooks"),
        _("account"),
        FIXED,
    ),
    Gate(
        "open_uploads",
        "too_many_uploads",
        _("Unfinished uploads, by number and size"),
        _("account"),
        _("MAAS_MAX_OPEN_UPLOADS, MAAS_MAX_OPEN_UPLOADS_BYTES"),
    ),
    Gate(
        "open_streams",
        "rate_limited",
        _("Open event streams and WebSockets of one account"),
        _("account"),
        FIXED,
    ),
    Gate(
        "open_streams_of_all",
        "overloaded",
        _("Open event streams and WebSockets of all accounts"),
        _("process"),
        FIXED,
    ),
    Gate("exports", "rate_limited", _("Exports of one account at the same time"), _("account"), FIXED),
    Gate("exports_of_all", "overloaded", _("Exports of all accounts at the same time"), _("process"), FIXED),
    Gate(
        "file_storage",
        "storage_unavailable",
        _("Requests while the file storage does not answer"),
        _("everybody"),
        OUTAGE,
    ),
    Gate(
        "search_by_meaning",
        "meaning_paused",
        _("Searches by meaning while others run, or while the embedding model cannot be loaded"),
        _("process"),
        FIXED,
    ),
    Gate(
        "scheduler", "scaling_unavailable", _("Operators' questions while no scheduler decides"), _("everybody"), OUTAGE
    ),
    Gate("disk", "storage_full", _("Uploads while the local disk or the storage is full"), _("process"), OUTAGE),
)
