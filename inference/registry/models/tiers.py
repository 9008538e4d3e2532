"""The table of the pools behind a tier: for each priority, in which order its work goes to which pool."""

from django.core.validators import MinValueValidator
from django.db import models

from inference.registry.models.serving import ModelPool
from tenants.tiers.models import Tier


class TierPool(models.Model):
    """A pool of a tier for one priority. The lowest position is the home; the others take what the home cannot."""

    class Priority(models.TextChoices):
        INTERACTIVE = "interactive"
        STANDARD = "standard"
        BULK = "bulk"

    tier = models.ForeignKey(Tier, on_delete=models.CASCADE, related_name="pools", db_index=False)
    priority = models.CharField(
        max_length=12, choices=Priority.choices, help_text="Priority of jobs. Synchronous calls are interactive."
    )
    position = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1)], help_text="1: home. Higher numbers: overflow, in their order."
    )
    pool = models.ForeignKey(
        ModelPool,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="tiers",
        help_text="Leave empty for the own pool of each model.",
    )

    class Meta:
        verbose_name = "pool of a tier"
        verbose_name_plural = "pools (the first of a priority is its home, the others are its overflow)"
        ordering = ["tier", "priority", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["tier", "priority", "position"],
                name="inference_tierpool_position",
                violation_error_message="Two pools of a priority have the same position.",
            ),
            models.UniqueConstraint(
                fields=["tier", "priority", "pool"],
                name="inference_tierpool_once",
                nulls_distinct=False,
                violation_error_message="A priority names the same pool twice.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tier}, {self.priority}: {self.pool or 'own pool of each model'}"
