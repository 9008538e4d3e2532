"""Results that are not to answer any more, because what they were read from is erased."""

from jobs.core.models import Document, Page


def forget_results_of(document: Document) -> None:
    """In the transaction that lets go of it. What another document has on it too is still known from that one."""
    Page.objects.filter(job__document=document, cache_key__isnull=False).update(cache_key=None)
