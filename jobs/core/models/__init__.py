"""The tables that the whole app shares: documents, jobs, their pages and their events."""

from jobs.core.models.corrections import Correction
from jobs.core.models.documents import Document, DocumentPage, ErasedReason, FileToErase
from jobs.core.models.jobs import Event, Job
from jobs.core.models.pages import FairShare, Page, PageText, PageToEmbed

__all__ = [
    "Correction",
    "Document",
    "DocumentPage",
    "ErasedReason",
    "Event",
    "FairShare",
    "FileToErase",
    "Job",
    "Page",
    "PageText",
    "PageToEmbed",
]
