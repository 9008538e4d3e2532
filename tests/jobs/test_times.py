"""When something happened is said by the database; processes may disagree about what time it is."""

from django.apps import apps
from django.utils import timezone


def test_no_row_of_a_job_takes_its_time_from_a_process() -> None:
    fields = [
        f"{model.__name__}.{field.name}"
        for model in apps.get_app_config("jobs").get_models()
        for field in model._meta.fields
        if field.default is timezone.now
    ]
    assert fields == []
