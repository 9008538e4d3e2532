"""Test that the database sets the time of everything that happens, because processes may disagree about the time."""

from datetime import UTC, datetime
from uuid import uuid4

from django.apps import apps
from django.utils import timezone

from inference.core.contracts import Units
from jobs.documents.job_selectors import EventRow
from jobs.results.reuse.accepting import said_of
from jobs.results.reuse.cached_pages import CachedPage
from jobs.streaming.tails import event_json


def test_no_row_of_a_job_takes_its_time_from_a_process() -> None:
    fields = [
        f"{model.__name__}.{field.name}"
        for model in apps.get_app_config("jobs").get_models()
        for field in model._meta.fields
        if field.default is timezone.now
    ]
    assert fields == []


def test_all_times_of_an_event_have_one_form() -> None:
    moment, told = datetime(2026, 11, 20, 11, 6, 21, 0, UTC), "2026-11-20T11:06:21.000000Z"
    known = CachedPage(id=uuid4(), job_id=uuid4(), result_at=moment, units=Units(pages=1))
    event = event_json(EventRow(uuid4(), 1, "page.succeeded", said_of(known), moment))
    assert (event["created_at"], event["data"]["result_at"]) == (told, told)
