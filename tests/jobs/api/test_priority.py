"""Tests of `priority` of a submission, and of the fields that describe a waiting job, through Django itself."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from jobs.core.models import Job
from jobs.core.priorities import BULK, INTERACTIVE
from jobs.documents.uploads import Upload
from tests.jobs.api.conftest import form_of, send_job
from tests.jobs.conftest import Desk

Post = Callable[..., Any]


@pytest.fixture
def post(desk: Desk) -> Post:
    def send(key: str = "", upload: Upload | None = None, **more: Any) -> Any:
        return send_job(desk, {"Idempotency-Key": key} if key else {}, upload, **more)

    return send


@pytest.fixture
def upload(desk: Desk, tmp_path: Path) -> Upload:
    return form_of(desk, tmp_path, priority="bulk")


def shown(desk: Desk, job_id: str) -> Any:
    return Client().get(f"/v1/jobs/{job_id}", **{"maas.identity": desk.identity}).json()  # type: ignore[arg-type]


def priorities(desk: Desk, job_id: str) -> set[int]:
    job = desk.again(Job(id=job_id))
    return {job.priority, *(page.priority for page in desk.pages(job))}


def test_a_job_has_the_priority_that_was_asked_for(desk: Desk, post: Post) -> None:
    job = post(priority="interactive").json()
    assert job["priority"] == "interactive"
    assert priorities(desk, job["id"]) == {INTERACTIVE}


def test_without_a_word_it_is_standard(post: Post) -> None:
    assert post().json()["priority"] == "standard"


def test_a_form_says_it_too(desk: Desk, post: Post, upload: Upload) -> None:
    job = post(upload=upload).json()
    assert job["priority"] == "bulk"
    assert priorities(desk, job["id"]) == {BULK}


def test_a_priority_that_is_none_is_refused_by_name(post: Post, upload: Upload) -> None:
    assert post(priority="urgent").status_code == 400
    refused = post(upload=replace(upload, fields={**upload.fields, "priority": "urgent"}))
    assert refused.status_code == 400
    assert "'urgent'" in refused.json()["detail"]
    assert "Use interactive, standard or bulk" in refused.json()["detail"]


@pytest.mark.parametrize("given", ["urgent", ["bulk"], {"bulk": None}, True])
def test_a_priority_of_another_kind_is_refused_in_words(post: Post, given: object) -> None:
    refused = post(priority=given)
    assert refused.status_code == 400
    assert refused.json()["detail"] == "`priority`: Use interactive, standard or bulk."


def test_under_one_key_another_priority_is_another_request(post: Post) -> None:
    assert post("one").status_code == 202
    assert post("one", priority="standard").headers["Idempotent-Replay"] == "true"
    assert post("one", priority="bulk").json()["code"] == "idempotency_key_reused"


def test_a_job_says_where_it_stands_until_it_runs(desk: Desk, post: Post) -> None:
    job = post().json()
    waiting = shown(desk, job["id"])
    assert waiting["position"] == 0
    assert waiting["reason_waiting"] in ("starting", "no_worker", "model_loading")
    desk.finish(desk.pages(Job(id=job["id"]))[0])
    done = shown(desk, job["id"])
    assert (done["position"], done["eta_seconds"], done["reason_waiting"]) == (None, None, None)
