"""The tables that the whole app shares: documents, jobs, their pages and their events."""

from jobs.core.models.documents import Document, DocumentPage
from jobs.core.models.erasures import ErasedBecause, FileToErase
from jobs.core.models.events import Event
from jobs.core.models.jobs import Job
from jobs.core.models.pages import FairShare, Page
from jobs.core.models.texts import PageText

__all__ = [
    "Document",
    "DocumentPage",
    "ErasedBecause",
    "Event",
    "FairShare",
    "FileToErase",
    "Job",
    "Page",
    "PageText",
]
