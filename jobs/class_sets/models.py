"""The tables of class sets: their examples, their trained versions, and the classes that they gave to jobs."""

from typing import Any

from django.db import models
from django.db.models.functions import Now

from inference.class_sets.training import MAX_LABEL
from jobs.class_sets.names import LONGEST_NAME, LONGEST_REFERENCE, LONGEST_TITLE, key_of
from jobs.core.models.jobs import Job
from tenants.core.db.tenant_owned import TenantOwned

LONGEST_AUTHOR = 254


class ClassSet(TenantOwned):
    """A set of classes. The row of a deleted set stays, so that no version's name is ever used for another one."""

    name = models.CharField(max_length=LONGEST_NAME)
    title = models.CharField(max_length=LONGEST_TITLE, blank=True)
    version = models.PositiveIntegerField(default=0, help_text="Number of the version that serves. 0 before training.")
    last_version = models.PositiveIntegerField(default=0, help_text="Number of the newest version ever trained.")
    default = models.BooleanField(
        default=False, db_default=False, help_text="Whether it classes documents whose upload names no class set."
    )
    livemode = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    changed_at = models.DateTimeField(
        db_default=Now(), editable=False, help_text="When an example was added or removed last."
    )
    deleted_at = models.DateTimeField(null=True, editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "livemode", "name"], name="jobs_classset_name"),
            models.UniqueConstraint(
                fields=["tenant", "livemode"], condition=models.Q(default=True), name="jobs_classset_default"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def key(self) -> str | None:
        """Return the name of the version that serves, such as `letters@3`."""
        return key_of(self.name, self.version) if self.version else None


class ClassExample(TenantOwned):
    """A job whose document is an example of a class. It goes when the job is erased."""

    class_set = models.ForeignKey(
        ClassSet, on_delete=models.CASCADE, related_name="examples", db_constraint=False, db_index=False
    )
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    document_id = models.UUIDField(help_text="The document. It is an example of one class, whichever job read it.")
    label = models.CharField(max_length=MAX_LABEL)
    corrected = models.BooleanField(default=False, help_text="Whether it came from the correction of a class.")
    author = models.CharField(max_length=LONGEST_AUTHOR, blank=True)
    pages = models.JSONField(
        null=True, help_text="What is learned from its pages, with words as checksums. Null until it is read."
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["class_set", "document_id"], name="jobs_classexample_document"),
        ]
        indexes = [models.Index(fields=["job"], name="jobs_classexample_of_job")]

    def __str__(self) -> str:
        return f"{self.label}: {self.job_id}"


class ClassSetVersion(TenantOwned):
    """The result of one training. A version is never changed."""

    class_set = models.ForeignKey(
        ClassSet, on_delete=models.CASCADE, related_name="versions", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField()
    trained = models.JSONField(help_text="Weights and known words, the latter as checksums.")
    evaluation = models.JSONField(help_text="How well each example is known by the others.")
    examples = models.JSONField(help_text="The label of each example by the ID of its job.")
    corrected = models.BooleanField(default=False, help_text="Whether a corrected class was the reason.")
    author = models.CharField(max_length=LONGEST_AUTHOR, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["class_set", "number"], name="jobs_classsetversion_number"),
        ]

    def __str__(self) -> str:
        return f"{self.class_set_id}@{self.number}"

    @property
    def labels(self) -> list[str]:
        content: dict[str, Any] = self.evaluation
        return sorted(content["examples"])


class ClassifiedJob(TenantOwned):
    """The classes that a version gave to a job, its pages, and the documents in it. It goes when the job is erased."""

    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="classified", db_constraint=False)
    class_set = models.CharField(max_length=LONGEST_REFERENCE)
    label = models.CharField(max_length=MAX_LABEL)
    probabilities = models.JSONField()
    pages = models.JSONField(help_text="Label and probabilities by the number of the page.")
    segments = models.JSONField()

    class Meta(TenantOwned.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.job_id}: {self.label}"
