"""The table of operators' limits on batches."""

from django.db import models

from inference.batching.limits import LimitChanges, Sharing
from inference.registry.models.served import ServedModel


class BatchSetting(models.Model):
    """An operator's limits on how much of a model's file may run at once. An empty field means the file's own limit."""

    served_model = models.ForeignKey(ServedModel, on_delete=models.CASCADE, related_name="batch_settings")
    part = models.CharField(max_length=40, help_text="Role of the model file.")
    max_rows = models.PositiveIntegerField(null=True, blank=True)
    max_padded = models.PositiveBigIntegerField(null=True, blank=True)
    max_waiting = models.PositiveIntegerField(null=True, blank=True)
    max_wait_ms = models.FloatField(null=True, blank=True)
    sharing = models.CharField(
        max_length=10,
        blank=True,
        default="",
        choices=[(choice.value, choice.value) for choice in Sharing],
        help_text="Whether one batch may contain inputs of several tenants.",
    )

    class Meta:
        verbose_name = "batch limits"
        ordering = ["served_model", "part"]
        constraints = [models.UniqueConstraint(fields=["served_model", "part"], name="inference_batch_setting_of_part")]

    def __str__(self) -> str:
        return self.part

    @property
    def changes(self) -> LimitChanges:
        return LimitChanges(
            max_rows=self.max_rows,
            max_padded=self.max_padded,
            max_waiting=self.max_waiting,
            max_wait_ms=self.max_wait_ms,
            sharing=Sharing(self.sharing) if self.sharing else None,
        )
