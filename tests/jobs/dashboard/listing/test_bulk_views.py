"""Tests of the requests that the list's page sends for the selected jobs, and of the text of the responses."""

import io
import zipfile
from typing import Any

import pytest
from django.test import Client

from jobs.dashboard.listing.wording import consequence_words, outcome_words
from jobs.many_jobs.services import Consequences, Outcome
from tests.jobs.conftest import Desk


def test_what_became_of_each_is_said_in_one_sentence(member: Client, desk: Desk) -> None:
    ended, *waiting = [desk.submit() for _ in range(4)]
    desk.finish(desk.pages(ended)[0])
    jobs = [str(job.id) for job in (ended, *waiting)]
    answer = member.post("/jobs/bulk/cancel", {"job": jobs}).json()
    assert answer["words"] == "3 canceled, 1 already finished."
    assert [one["job"] for one in answer["outcomes"]] == jobs


def test_codes_without_words_of_their_own_are_said_too() -> None:
    assert outcome_words([Outcome("a", "odd_code")]) == "1 refused (odd_code)."
    assert outcome_words([]) == "Nothing was selected."


def test_deleting_says_before_what_it_will_do(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    asked = member.get("/jobs/bulk/consequences", {"job": [str(job.id)]}).json()
    assert asked["documents"] == 1
    assert asked["words"][0].startswith("“a.pdf”: file and page images are deleted permanently.")
    assert "1 unfinished job: will be canceled." in asked["words"][1]
    assert member.post("/jobs/bulk/delete", {"job": [str(job.id)]}).json()["words"] == "1 deleted."


def test_jobs_that_go_with_a_document_are_counted_though_not_selected(member: Client, desk: Desk) -> None:
    document = desk.document(1)
    jobs = [desk.submit_document(document) for _ in range(3)]
    asked = member.get("/jobs/bulk/consequences", {"job": [str(jobs[0].id)]}).json()
    assert asked["what"] == "1 file of 3 jobs"


def test_of_many_names_a_few_are_said() -> None:
    words = consequence_words(Consequences([f"{n}.pdf" for n in range(7)], 0, 0, 0))
    assert words[0].startswith("“0.pdf”, “1.pdf”, “2.pdf”, “3.pdf”, “4.pdf” and 2 more: files and page images")


def test_too_many_are_refused_in_words_for_the_page(member: Client, desk: Desk) -> None:
    answer = member.post("/jobs/bulk/cancel", {"job": [str(number) for number in range(101)]})
    assert answer.status_code == 400
    assert "101 jobs" in answer.json()["detail"]


def test_the_archive_comes_as_a_download(viewer: Client, desk: Desk) -> None:
    answer = viewer.get("/jobs/archive", {"job": [str(desk.submit().id)]})
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="documents-')
    content = b"".join(answer.streaming_content)  # type: ignore[attr-defined]  # of a streaming response
    assert len(zipfile.ZipFile(io.BytesIO(content)).namelist()) == 2


def test_the_archive_has_the_formats_of_the_check_boxes(viewer: Client, desk: Desk) -> None:
    asked = {"job": [str(desk.submit_document(desk.document(1)).id)], "formats": "text,markdown"}
    answer = viewer.get("/jobs/archive", asked)
    content = b"".join(answer.streaming_content)  # type: ignore[attr-defined]  # of a streaming response
    assert zipfile.ZipFile(io.BytesIO(content)).namelist() == ["a.pdf/text.txt", "a.pdf/text.md"]
    refused = viewer.get("/jobs/archive", {**asked, "formats": "docx"})
    assert (
        refused.json()["detail"]
        == "Unknown format 'docx'. Use original, text, markdown, html, json, chunks, pdf, csv or xlsx."
    )


@pytest.mark.parametrize("path", ["/jobs/archive", "/jobs/bulk/consequences"])
def test_a_stranger_is_asked_to_sign_in(client: Client, path: str) -> None:
    assert client.get(path).headers["Location"].startswith("/sign-in")


def test_erasing_says_before_what_goes_and_takes_inline_jobs_too(member: Client, desk: Desk) -> None:
    document = desk.document(1)
    first, second = desk.submit_document(document), desk.submit_document(document)
    inline = desk.submit()
    jobs = {"job": [str(first.id), str(inline.id)]}
    asked = member.get("/jobs/bulk/erasure", jobs).json()
    assert asked["what"] == "1 file and the text of 3 jobs"
    assert "3 unfinished jobs: will be canceled first." in asked["words"]
    assert "1 more job on the same files: also deleted." in asked["words"]
    assert member.post("/jobs/bulk/erase", jobs).json()["words"] == "2 deleted."
    assert [desk.again(job).erased for job in (first, second, inline)] == [True, True, True]
    assert member.post("/jobs/bulk/erase", jobs).json()["words"] == "2 not found."


def test_fields_of_selected_or_of_all_listed_jobs_are_one_file(viewer: Client, desk: Desk) -> None:
    names = ("a.pdf", "b.pdf")
    jobs = [desk.submit_document(desk.document(1, name)) for name in names]
    answer: Any = viewer.get("/jobs/fields", {"format": "csv", "job": [str(jobs[0].id)]})
    assert answer["Content-Disposition"].startswith('attachment; filename="fields-')
    rows = answer.getvalue().decode()
    assert ("a.pdf" in rows, "b.pdf" in rows) == (True, False)
    every: Any = viewer.get("/jobs/fields", {"format": "csv", "model": desk.version.served_model.name})
    rows = every.getvalue().decode()
    assert all(name in rows for name in names)
    assert viewer.get("/jobs/fields", {"format": "pdf"}).status_code == 404
    page = viewer.get("/jobs", {"model": desk.version.served_model.name}).content.decode()
    assert f'href="/jobs/fields?model={desk.version.served_model.name}&amp;format=xlsx"' in page
