"""The tables of what cells give to each other: the own export, the other cells, and what came from the control cell."""

from typing import Any

from django.db import models
from django.db.models.functions import Now

LONGEST_NAME = 16


class CellExport(models.Model):
    """The document that this cell gives to others, as it was signed. There is one row at most."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    version = models.BigIntegerField(help_text="Grows with each change.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the content, without version and time.")
    body = models.BinaryField()
    signature = models.BinaryField()
    made_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return str(self.version)


class PeerCell(models.Model):
    """Another cell: whether it answers, its last report, and the last document that was taken from it."""

    name = models.CharField(max_length=LONGEST_NAME, primary_key=True)
    asked_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    away_since = models.DateTimeField(null=True, help_text="Empty while it answers.")
    error = models.CharField(max_length=500, blank=True, help_text="Why it does not answer.")
    report: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    version = models.BigIntegerField(default=0, help_text="Version of the document that was taken last.")
    digest = models.CharField(max_length=64, blank=True)
    made_at = models.DateTimeField(null=True)
    applied_at = models.DateTimeField(null=True)
    confirmed_at = models.DateTimeField(null=True, help_text="When it was last known to be the newest.")
    refused: "models.JSONField[Any, Any]" = models.JSONField(default=list, help_text="Parts that were not applied.")
    refusal = models.CharField(max_length=500, blank=True, help_text="Why the newest document was not taken.")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class ReplicatedPart(models.Model):
    """A plan or a model that came from the control cell, as it was applied last. It is changed only there."""

    class Kind(models.TextChoices):
        PLAN = "plan"
        MODEL = "model"

    kind = models.CharField(max_length=5, choices=Kind.choices)
    key = models.CharField(max_length=100, help_text="Code of the plan, or name of the model.")
    cell = models.CharField(max_length=LONGEST_NAME)
    content: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    applied_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "key"], name="tenants_replicated_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class CellChange(models.Model):
    """A change that was made here because the control cell's export says so. Rows are added, and never changed."""

    at = models.DateTimeField(db_default=Now(), editable=False)
    cell = models.CharField("from cell", max_length=LONGEST_NAME)
    version = models.BigIntegerField("export", help_text="Version of the export.")
    kind = models.CharField(max_length=5, choices=ReplicatedPart.Kind.choices)
    key = models.CharField("name", max_length=100, help_text="Code of the plan, or name of the model.")
    changes = models.TextField()

    class Meta:
        verbose_name = "cell sync entry"
        verbose_name_plural = "cell sync entries"
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} by export {self.version}"


class DirectoryEntry(models.Model):
    """An account whose home is another cell. Its data is there, and nothing of it is here."""

    class State(models.TextChoices):
        ACTIVE = "active"
        SUSPENDED = "suspended"
        CLOSING = "closing"
        ERASING = "erasing"

    id = models.UUIDField(primary_key=True, editable=False)
    name = models.CharField(max_length=200)
    home = models.CharField("home cell", max_length=LONGEST_NAME)
    state = models.CharField(max_length=12, choices=State.choices)

    class Meta:
        verbose_name = "account in another cell"
        verbose_name_plural = "accounts in other cells"
        ordering = ["name", "id"]
        indexes = [models.Index(fields=["home"], name="tenants_directory_of_home")]

    def __str__(self) -> str:
        return self.name
