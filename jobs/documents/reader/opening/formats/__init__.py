"""Reads documents that say themselves what they consist of: Office documents, web pages and emails."""

from .items import FoundPage
from .reading import count_pages, read_pages, read_part

__all__ = ["FoundPage", "count_pages", "read_pages", "read_part"]
