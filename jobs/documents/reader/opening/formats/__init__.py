"""Reads documents that say themselves what they consist of: Office documents, web pages and emails."""

from .reading import count_pages, read_items

__all__ = ["count_pages", "read_items"]
