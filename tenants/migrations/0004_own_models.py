from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models

from tenants.core.db.together import Together

_METERS = [
    ("page", "page"),
    ("token", "token"),
    ("call", "call"),
    ("gpu_second", "GPU second"),
    ("model_hour", "model hour"),
]


def _limit(what: str, help_text: str, least: int, most: int) -> "models.PositiveIntegerField[Any, Any]":
    bounds = [MinValueValidator(least), MaxValueValidator(most)]
    return models.PositiveIntegerField(
        blank=True, help_text=help_text, null=True, validators=bounds, verbose_name=what
    )


_MODELS = _limit("own models", "Leave empty for the limit of the plan, or else the installation. 0: none.", 0, 10_000)
_MODEL_MB = _limit(
    "file of an own model in MB", "Leave empty for the limit of the plan, or else the installation.", 1, 2000
)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0003_review_price")]

    operations = [
        Together(
            [
                *(
                    migrations.AddField(model_name=model, name=name, field=field)
                    for model in ("plan", "tenant")
                    for name, field in (("own_models", _MODELS), ("own_model_mb", _MODEL_MB))
                ),
                *(
                    migrations.AlterField(
                        model_name=model, name="meter", field=models.CharField(choices=_METERS, max_length=10)
                    )
                    for model in ("planincluded", "planprice", "tenantprice")
                ),
            ]
        )
    ]
