"""The search text by which jobs are found."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from jobs.core.models.jobs import Job
from tenants.core.db.tenant_owned import TenantOwned


class PageText(TenantOwned):
    """The search text of a page, or of the name of a job's document, by which the job is found. See jobs/search.

    Its id is that of the page, or that of the job for a name, so that the same text is never stored twice.
    """

    job = models.ForeignKey(
        Job, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField(help_text="Page number. 0 for the document name.")
    words = SearchVectorField()

    class Meta(TenantOwned.Meta):
        indexes = [
            # Each entry is written directly rather than into a list of pending entries. Every search reads that list
            # from its beginning, and now and then the write of a page has to sort it in.
            GinIndex(fields=["words"], fastupdate=False, name="jobs_pagetext_words"),
            models.Index(fields=["tenant", "job", "number"], name="jobs_pagetext_of_job"),
        ]

    def __str__(self) -> str:
        return f"words of page {self.number} of {self.job_id}" if self.number else f"name of {self.job_id}"
