"""Removes results from the cache because the document that they were read from is erased."""

from jobs.core.models import Document, Page


def forget_results_of(document: Document) -> None:
    """Remove a document's results from the cache as it is erased. Copies under another document stay."""
    Page.objects.filter(job__document=document, cache_key__isnull=False).update(cache_key=None)
