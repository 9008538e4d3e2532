"""The tables of aliases and of their moves."""

from django.db import models
from django.db.models.functions import Now

from inference.registry.models.owned import LONGEST_AUTHOR, Owned
from inference.registry.models.served import ServedModel
from inference.registry.models.versions import ModelVersion
from inference.registry.references import LONGEST_ALIAS


class ModelAlias(Owned):
    """A name for a version of a model. Every move is also in the history."""

    served_model = models.ForeignKey(ServedModel, on_delete=models.CASCADE, related_name="aliases")
    name = models.CharField(max_length=LONGEST_ALIAS)
    version = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, related_name="aliases")

    class Meta:
        verbose_name = "alias"
        verbose_name_plural = "aliases"
        ordering = ["served_model", "name"]
        constraints = [models.UniqueConstraint(fields=["served_model", "name"], name="inference_alias_name")]

    def __str__(self) -> str:
        return f"{self.served_model}@{self.name}"


class AliasMove(Owned):
    """A move of an alias, which is never changed. Without a version, the alias was deleted."""

    served_model = models.ForeignKey(ServedModel, on_delete=models.PROTECT, related_name="moves")
    alias = models.CharField(max_length=LONGEST_ALIAS)
    previous = models.ForeignKey(ModelVersion, null=True, on_delete=models.PROTECT, related_name="+")
    version = models.ForeignKey(ModelVersion, null=True, on_delete=models.PROTECT, related_name="+")
    author = models.CharField(max_length=LONGEST_AUTHOR, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    moved_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        verbose_name = "alias move"
        ordering = ["-id"]
        indexes = [models.Index(fields=["served_model", "alias", "id"], name="inference_move_of_alias")]

    def __str__(self) -> str:
        return f"{self.served_model}@{self.alias} to {self.version}"
