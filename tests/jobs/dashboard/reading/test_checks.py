"""Test the list of places to check across the pages of a document."""

from typing import Any

from django.test import Client

from inference.core.contracts import WorkOutput
from jobs.core.models import Job
from jobs.queue.settlement import finish_page
from jobs.retention.erasing import erase_job
from tests.jobs.conftest import Desk

UNSURE = {"text": "x", "lines": [{"text": "x", "box": None, "confidence": 0.5}]}
SURE = {"text": "x", "lines": [{"text": "x", "box": None, "confidence": 0.9}]}
REVIEW = {"text": "", "needs_review": True}


def read(desk: Desk, *results: dict[str, Any]) -> Job:
    job = desk.submit(pages=len(results) + 1)
    for page, result in zip(desk.pages(job), results, strict=False):
        finish_page(desk.claimed(page), WorkOutput(result))
    return job


def test_places_are_listed_page_by_page(member: Client, desk: Desk) -> None:
    job = read(desk, UNSURE, SURE, REVIEW)
    answer = member.get(f"/jobs/{job.id}/checks")
    places = [{"page": 1, "place": "1"}, {"page": 3, "place": "page"}]
    assert answer.json() == {"places": places, "more": False}
    assert "no-store" in answer["Cache-Control"]


def test_what_is_gone_has_no_places(member: Client, desk: Desk) -> None:
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    erase_job(identity=desk.identity, job_id=job.id)
    assert [member.get(f"/jobs/{name}/checks").status_code for name in (job.id, "none")] == [404, 404]
