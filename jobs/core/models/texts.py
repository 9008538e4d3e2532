"""The words by which jobs are found."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from jobs.core.models.jobs import Job
from tenants.core.db.tenant_owned import TenantOwned


class PageText(TenantOwned):
    """The words of a page's text, or of a job's document's name, by which the job is found; see jobs/search.

    Its id is the page's, or the job's for a name, so that the same thing is never there twice.
    """

    job = models.ForeignKey(
        Job, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField(help_text="Of the page; 0 for the name.")
    words = SearchVectorField()

    class Meta(TenantOwned.Meta):
        indexes = [
            # Written word by word rather than into a list of what is pending, which every search reads from its
            # beginning and some unlucky page has to sort in.
            GinIndex(fields=["words"], fastupdate=False, name="jobs_pagetext_words"),
            models.Index(fields=["tenant", "job", "number"], name="jobs_pagetext_of_job"),
        ]

    def __str__(self) -> str:
        return f"words of page {self.number} of {self.job_id}" if self.number else f"name of {self.job_id}"
