"""Reads documents of unknown senders: their type, their number of pages, and the content of each page."""

from .contents import Attachment, DocumentRejected, Inspection, Kind, PageContent, PageSize, ReaderUnavailable
from .opening.limits import DocumentLimits
from .reader import SHORT_TEXT_BYTES, Attachments, DocumentReader

__all__ = [
    "SHORT_TEXT_BYTES",
    "Attachment",
    "Attachments",
    "DocumentLimits",
    "DocumentReader",
    "DocumentRejected",
    "Inspection",
    "Kind",
    "PageContent",
    "PageSize",
    "ReaderUnavailable",
]
