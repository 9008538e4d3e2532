"""Removes results from the cache because the document that they were read from is erased."""

from jobs.core.models import Document, Page


def forget_results_of(document: Document) -> None:
    """Remove the results of a document from the cache, in the transaction that erases it. A result that another
    document has too stays cached through that document.
    """
    Page.objects.filter(job__document=document, cache_key__isnull=False).update(cache_key=None)
