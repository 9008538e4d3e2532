"""Test that a corrected cell is kept beside the result, counts in exports, and can be undone."""

from typing import Any

import pytest
from django.test import Client

from jobs.core.models import Correction, Job
from jobs.results.corrections.services import LONGEST_LINE, correct_cell, correct_line, undo_cell
from jobs.results.exports.services import CSV, MARKDOWN
from jobs.results.result_json import result_json
from jobs.retention.erasing import erase_job
from tenants.api.authentication import IDENTITY
from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tests.jobs.results.exports.conftest import ReadingDesk
from tests.jobs.results.exports.test_table_files import HEADER, page, table


@pytest.fixture
def desk(identity: Any, version: Any) -> ReadingDesk:
    return ReadingDesk(identity, version)


@pytest.fixture
def job(desk: ReadingDesk) -> Job:
    job = desk.submit()
    result = page(table(HEADER, ("Nuts", "Z", "1.20")))
    result["blocks"][0]["lines"], result["blocks"][1]["lines"] = [], [0]
    desk.answer(job, 1, result)
    return desk.again(job)


def correct(desk: ReadingDesk, job: Job, text: str, index: int = 4, at: int = 0) -> Correction:
    return correct_cell(identity=desk.identity, job_id=job.id, number=1, table=at, index=index, text=text)


def test_a_corrected_cell_is_in_exports_and_beside_the_result(desk: ReadingDesk, job: Job) -> None:
    correct(desk, job, "2")
    correct(desk, job, "3")
    assert desk.exported(job, CSV).decode("utf-8-sig") == "Item,Count,Price\r\nNuts,3,1.20\r\n"
    assert "| Nuts | 3 | 1.20 |" in desk.exported(job, MARKDOWN).decode()
    with unit_of_work(desk.identity):
        pages: Any = result_json(job)["pages"]
    (shown,) = pages
    assert shown["tables"][0]["cells"][4]["text"] == "Z"
    (correction,) = shown["corrections"]
    assert {name: correction[name] for name in ("kind", "table", "index", "original", "corrected")} == {
        "kind": "cell",
        "table": 0,
        "index": 4,
        "original": "Z",
        "corrected": "3",
    }


def test_a_correction_of_a_cell_is_undone_logged_and_erased(desk: ReadingDesk, job: Job) -> None:
    correct(desk, job, "")
    assert "Nuts,,1.20" in desk.exported(job, CSV).decode()
    undo_cell(identity=desk.identity, job_id=job.id, number=1, table=0, index=4)
    assert "Nuts,Z,1.20" in desk.exported(job, CSV).decode()
    with unit_of_work(desk.identity):
        notes = AuditEntry.objects.filter(action__startswith="correction.").values_list("note", flat=True)
        assert set(notes) == {"page 1, table 0, cell 4"}
    with pytest.raises(NotFound):
        undo_cell(identity=desk.identity, job_id=job.id, number=1, table=0, index=4)
    correct(desk, job, "2")
    erase_job(identity=desk.identity, job_id=job.id)
    with unit_of_work(desk.identity):
        assert not Correction.objects.exists()


def test_lines_and_cells_of_the_same_position_are_apart(desk: ReadingDesk, job: Job) -> None:
    correct_line(identity=desk.identity, job_id=job.id, number=1, index=0, text="Order")
    correct(desk, job, "Article", index=0)
    undo_cell(identity=desk.identity, job_id=job.id, number=1, table=0, index=0)
    with unit_of_work(desk.identity):
        assert Correction.objects.get(ended_at=None).kind == "line"


def test_what_is_not_there_is_not_found(desk: ReadingDesk, job: Job) -> None:
    with pytest.raises(NotFound, match="Page 1 has no table 1"):
        correct(desk, job, "x", at=1)
    with pytest.raises(NotFound, match="Table 0 of page 1 has no cell 6"):
        correct(desk, job, "x", index=6)


@pytest.mark.parametrize("text", ["a\tb", "x" * (LONGEST_LINE + 1), "\u202e"])
def test_a_text_that_is_no_cell_is_refused(desk: ReadingDesk, job: Job, text: str) -> None:
    with pytest.raises(InvalidRequest):
        correct(desk, job, text)


def test_a_cell_is_corrected_and_undone_by_its_address(desk: ReadingDesk, job: Job) -> None:
    address, caller = f"/v1/jobs/{job.id}/pages/1/tables/0/cells/4", {IDENTITY: desk.identity}
    answer = Client().put(address, {"text": "2"}, content_type="application/json", **caller)  # type: ignore[arg-type]
    assert (answer.status_code, answer.json()["corrected"]) == (200, "2")
    assert Client().delete(address, **caller).status_code == 204  # type: ignore[arg-type]
