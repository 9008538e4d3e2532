"""The durable truth: documents, jobs, their pages and what happened to them; each noun has a room of its own."""

from jobs.archives.models import Archive, ArchiveEntry
from jobs.batches.models import Batch, BatchTask, StoredFile
from jobs.models.documents import Document, DocumentPage
from jobs.models.erasures import ErasedBecause, FileToErase
from jobs.models.events import Event
from jobs.models.idempotency import HeldKey, IdempotencyKey
from jobs.models.jobs import Job
from jobs.models.pages import Page, Turn
from jobs.models.texts import PageText
from jobs.uploads.models import ResumableUpload, UploadPiece
from jobs.webhooks.models import (
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookMessage,
    WebhookSecret,
)

__all__ = [
    "Archive",
    "ArchiveEntry",
    "Batch",
    "BatchTask",
    "Document",
    "DocumentPage",
    "ErasedBecause",
    "Event",
    "FileToErase",
    "HeldKey",
    "IdempotencyKey",
    "Job",
    "Page",
    "PageText",
    "ResumableUpload",
    "StoredFile",
    "Turn",
    "UploadPiece",
    "WebhookAttempt",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookMessage",
    "WebhookSecret",
]
