"""Tests that Office documents, web pages and emails become text, blocks and tables, and files of other formats."""

import pytest

from tests.samples import office

from .caller import Caller, assert_problem

SAMPLES = {
    "docx": (office.word_document, ["Offer 2026-17", "Terms"]),
    "xlsx": (office.workbook, ["Orders", "Plan", "Secret"]),
    "pptx": (office.presentation, ["Quarterly review", "Figures"]),
    "html": (office.PAGE.encode, ["Price list"]),
    "eml": (office.mail, ["Invoice 4711 für März"]),
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_document_is_parsed_and_exported_with_its_tables(kind: str, caller: Caller) -> None:
    make, headings = SAMPLES[kind]
    document = caller.upload(make(), f"sample.{kind}")
    assert (document["kind"], document["pages_total"]) == (kind, len(headings))
    job = caller.ended(caller.submit("parse", document=document["id"])["id"])
    assert job["state"] == "succeeded"
    pages = caller.get(f"/v1/jobs/{job['id']}/result")["pages"]
    assert [heading in page["text"] for heading, page in zip(headings, pages, strict=True)] == [True] * len(pages)
    assert {(page["source"], page["picture"], page["quality"]) for page in pages} == {("document", None, 1)}
    assert sum(len(page["tables"]) for page in pages) > 0
    for page in pages:
        named = [block["table"] for block in page["blocks"] if block["type"] == "table"]
        assert named == list(range(len(page["tables"])))
    markdown = caller.http.get(f"/v1/jobs/{job['id']}/result.md")
    assert "| --- | --- |" in markdown.text
    assert "<table>" in caller.http.get(f"/v1/jobs/{job['id']}/result.html").text
    assert headings[0] in caller.http.get(f"/v1/jobs/{job['id']}/result.txt").text
    assert_problem(caller.http.get(f"/v1/jobs/{job['id']}/result.pdf"), 422, "no_page_pictures")


def test_same_document_once_more_is_taken_from_the_cache(caller: Caller) -> None:
    document = caller.upload(office.word("<w:p><w:r><w:t>only here</w:t></w:r></w:p>"), "once.docx")
    caller.http.headers.pop("Cache-Control")
    caller.ended(caller.submit("parse", document=document["id"])["id"])
    again = caller.http.post("/v1/jobs", json={"model": "parse", "document": document["id"]})
    assert (again.status_code, again.json()["state"], again.json()["pages_cached"]) == (200, "succeeded", 1)


def test_recognition_alone_refuses_what_has_no_pictures(caller: Caller) -> None:
    document = caller.upload(office.workbook(), "book.xlsx")
    answer = caller.http.post("/v1/jobs", json={"model": "ocr", "document": document["id"]})
    problem = assert_problem(answer, 422, "input_not_accepted")
    assert "reads PDF files and images, but this document is an Excel workbook." in problem["detail"]
