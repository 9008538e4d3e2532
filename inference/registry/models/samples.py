"""The table of samples: inputs on which the owner of a model wants its variants to be compared."""

from django.db import models
from django.db.models.functions import Now

from inference.registry.models.owned import LONGEST_AUTHOR, Owned
from inference.registry.models.served import ServedModel


class ModelSamples(Owned):
    """The samples of a model, which replace generated inputs in every comparison."""

    served_model = models.OneToOneField(ServedModel, on_delete=models.CASCADE, related_name="samples")
    content = models.BinaryField(help_text="An npz file of the inputs.")
    samples = models.PositiveIntegerField()
    rows = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    author = models.CharField(max_length=LONGEST_AUTHOR, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        verbose_name = "samples"
        verbose_name_plural = "samples"

    def __str__(self) -> str:
        return f"{self.samples} samples of {self.served_model}"
