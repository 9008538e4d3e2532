"""The operator's view of documents, jobs, pages, events and workers: where each went and how it ended.

The content of documents (texts sent inline, results, files) belongs to the tenant alone and is not shown here.
"""

from jobs.admin.batches import BatchAdmin, StoredFileAdmin
from jobs.admin.documents import ArchiveAdmin, DocumentAdmin
from jobs.admin.health import troubles_with_work
from jobs.admin.job_detail import EventAdmin
from jobs.admin.jobs import JobAdmin
from jobs.admin.pages import PageAdmin
from jobs.admin.webhooks import WebhookDeliveryAdmin, WebhookEndpointAdmin
from tenants.admin_base.health import on_health

__all__ = [
    "ArchiveAdmin",
    "BatchAdmin",
    "DocumentAdmin",
    "EventAdmin",
    "JobAdmin",
    "PageAdmin",
    "StoredFileAdmin",
    "WebhookDeliveryAdmin",
    "WebhookEndpointAdmin",
]

on_health("jobs.view_job", troubles_with_work)
