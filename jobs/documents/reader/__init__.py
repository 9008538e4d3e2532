"""Reads documents of unknown senders: their type, their number of pages, and the content of each page."""

from .contents import Inspection, PageContent, PageSize
from .errors import DocumentRejected, ReaderUnavailable
from .opening.limits import DocumentLimits
from .reader import SHORT_TEXT_BYTES, DocumentReader

__all__ = [
    "SHORT_TEXT_BYTES",
    "DocumentLimits",
    "DocumentReader",
    "DocumentRejected",
    "Inspection",
    "PageContent",
    "PageSize",
    "ReaderUnavailable",
]
