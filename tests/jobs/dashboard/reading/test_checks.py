"""Test the list of places to check across the pages of a document."""

from typing import Any

from django.test import Client

from inference.core.contracts import WorkOutput
from jobs.core.models import Job
from jobs.queue.settlement import finish_page
from jobs.results.corrections.services import correct_cell
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
    places = [{"page": 1, "place": "1", "tab": "text"}, {"page": 3, "place": "page", "tab": "text"}]
    assert answer.json() == {"places": places, "more": False}
    assert "no-store" in answer["Cache-Control"]


def test_unsure_cells_are_places_until_they_are_corrected(member: Client, desk: Desk) -> None:
    cells = [
        {"row": 0, "column": column, "row_span": 1, "column_span": 1, "text": text, "box": None, "confidence": sure}
        for column, (text, sure) in enumerate((("a", 0.5), ("b", 0.9), ("", 0.1)))
    ]
    table = {"box": None, "rows": 1, "columns": 3, "header_rows": 0, "continues": False}
    job = read(desk, {"text": "a b", "tables": [{**table, "cells": [{**cell, "header": False} for cell in cells]}]})
    place = {"page": 1, "place": "t1c1", "tab": "tables"}
    assert member.get(f"/jobs/{job.id}/checks").json()["places"] == [place]
    correct_cell(identity=desk.identity, job_id=job.id, number=1, table=0, index=0, text="A")
    assert member.get(f"/jobs/{job.id}/checks").json()["places"] == []


def test_what_is_gone_has_no_places(member: Client, desk: Desk) -> None:
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    erase_job(identity=desk.identity, job_id=job.id)
    assert [member.get(f"/jobs/{name}/checks").status_code for name in (job.id, "none")] == [404, 404]
