"""Lists every model of this app for Django. The code imports each model from the package that it belongs to."""

from jobs.batches.models import Batch, BatchTask, StoredFile
from jobs.class_sets.models import ClassExample, ClassifiedJob, ClassSet, ClassSetVersion
from jobs.core.models import Correction, Document, DocumentPage, Event, FileToErase, Job, Page, PageText, PageToEmbed
from jobs.core.models.archives import Archive, ArchiveEntry
from jobs.fields.models import FieldValue
from jobs.idempotency.models import HeldKey, IdempotencyKey
from jobs.own_fields.models import OwnField, OwnFieldExample
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
    "ClassExample",
    "ClassSet",
    "ClassSetVersion",
    "ClassifiedJob",
    "Correction",
    "Document",
    "DocumentPage",
    "Event",
    "FieldValue",
    "FileToErase",
    "HeldKey",
    "IdempotencyKey",
    "Job",
    "OwnField",
    "OwnFieldExample",
    "Page",
    "PageText",
    "PageToEmbed",
    "ResumableUpload",
    "StoredFile",
    "UploadPiece",
    "WebhookAttempt",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookMessage",
    "WebhookSecret",
]
