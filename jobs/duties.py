"""The scheduler's duties for documents, jobs, batches, uploads and webhooks."""

from jobs.archives.upkeep import keep_up_archives
from jobs.batches.upkeep import ANY_LATE, count_batches, erase_expired_files, forget_batches_of_tests, keep_up_batches
from jobs.cells.published import make_export
from jobs.cells.sync import sync_cells
from jobs.cells.watch import watch_cells
from jobs.charges.reconciling import reconcile_tonight
from jobs.deletion.erasing import erase_closed_tenants
from jobs.documents.erasure import erase_due_files
from jobs.events.horizon import notify_horizon
from jobs.idempotency.expiry import erase_forgotten_keys
from jobs.queue.queued_pages import correct_queued_pages
from jobs.queue.release import ANY_QUEUED
from jobs.queue.sweeper import end_used_up_pages
from jobs.queue.upkeep import count_dead_letters, count_queued, release_waiting
from jobs.retention.batches import forget_words_of_batches
from jobs.retention.events import erase_old_events
from jobs.retention.forgetting import forget_erased
from jobs.retention.sweep import erase_overdue
from jobs.scaling.minutes import forget_old_minutes
from jobs.scaling.watch import watch_pools
from jobs.search.backfill import ANY_ORDERED, index_ordered_jobs
from jobs.submission.cancellations import ANY_OVERDUE, end_overdue_jobs
from jobs.uploads.upkeep import ANY_STRANDED, expire_uploads, finish_stranded_uploads, forget_uploads
from jobs.webhooks.notices import mail_of_disabled_endpoints
from jobs.webhooks.upkeep import end_stranded_deliveries, erase_old_webhooks
from tenants.core.duties import Duty

DUTIES = (
    Duty(0.4, release_waiting, ANY_QUEUED),
    Duty(2, watch_pools),
    Duty(3600, forget_old_minutes),
    Duty(10, make_export),
    Duty(30, sync_cells),
    Duty(30, watch_cells),
    Duty(1, end_overdue_jobs, ANY_OVERDUE),
    Duty(1, keep_up_batches, ANY_LATE),
    Duty(5, count_queued),
    Duty(5, notify_horizon),
    Duty(5, count_batches),
    Duty(5, count_dead_letters),
    Duty(5, erase_due_files),
    Duty(60, end_used_up_pages),
    Duty(60, erase_forgotten_keys),
    Duty(60, erase_expired_files),
    Duty(60, forget_batches_of_tests),
    Duty(60, forget_words_of_batches),
    Duty(60, keep_up_archives),
    Duty(60, erase_overdue),
    Duty(60, erase_old_events),
    Duty(60, forget_erased),
    Duty(5, erase_closed_tenants),
    Duty(60, forget_uploads),
    Duty(5, end_stranded_deliveries),
    Duty(60, erase_old_webhooks),
    Duty(0.5, finish_stranded_uploads, ANY_STRANDED),
    Duty(60, expire_uploads),
    Duty(60, mail_of_disabled_endpoints),
    Duty(2, index_ordered_jobs, ANY_ORDERED),
    Duty(24 * 3600, correct_queued_pages),
    Duty(24 * 3600, reconcile_tonight),
)
