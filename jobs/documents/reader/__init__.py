"""Reads documents of unknown senders: what they are, how many pages they have, and each page's content."""

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
