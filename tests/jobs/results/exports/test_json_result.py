"""Tests of the export as JSON."""

import json

from jobs.core.models import Job
from jobs.results.exports.services import JSON
from tests.jobs.results.exports.conftest import ReadingDesk


def test_json_is_the_result_with_the_numbers_of_what_is_missing(desk: ReadingDesk, partial_job: Job) -> None:
    result = json.loads(desk.exported(partial_job, JSON))
    assert (result["missing"], result["text"]) == ([2, 4], "Dear *Anna*,\n1. hello\n\nBye")
    assert [page["state"] for page in result["pages"]] == ["succeeded", "failed", "succeeded", "queued"]
