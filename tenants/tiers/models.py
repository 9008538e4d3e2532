"""The table of tiers. The pools of workers behind a tier are in the registry of models."""

from django.db import models


class Tier(models.Model):
    """A choice of workers that a plan or a tenant buys. Without one, the pool of each model serves it."""

    name = models.SlugField(max_length=50, unique=True, help_text="Name that customers see, such as gold.")
    description = models.CharField(max_length=200, blank=True, help_text="For operators, such as who buys it.")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
