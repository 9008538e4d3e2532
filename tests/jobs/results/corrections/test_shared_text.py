"""Test that a cell and the lines that it is made of have one text, whichever of them is corrected."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.core.models import Job
from jobs.corrected_results.selectors import corrected_cells, corrected_lines, corrections_at
from jobs.results.corrections.services import correct_cell, correct_line, undo_cell, undo_line
from jobs.results.corrections.shared_text import SharedCell, cell_of_line, lines_of_cell
from jobs.results.exports.services import CSV, MARKDOWN, TEXT
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.results.exports.conftest import HEIGHT, WIDTH, ReadingDesk, box, line
from tests.jobs.results.exports.test_table_files import cell, table


def result(**more: Any) -> dict[str, Any]:
    """Return a page with a table of a row: a cell of two lines, one of one line, and two of a line that spans both."""
    grid = table(("1 56-1361", "204", "each", "day"), headers=0)
    lines = [
        line("1", box(105, 105, 20)),
        line("56-1361", box(150, 105, 80)),
        line("204", box(305, 105, 60)),
        line("each day", box(505, 105, 330)),
        line("Below", box(100, 400, 90)),
    ]
    blocks = [{"type": "table", "lines": [0, 1, 2, 3], "table": 0}, {"type": "paragraph", "lines": [4]}]
    found = {"text": "1 56-1361\t204\teach\tday\n\nBelow", "lines": lines, "blocks": blocks, "tables": [grid]}
    return {**found, "width": WIDTH, "height": HEIGHT, **more}


@pytest.fixture
def desk(identity: Any, version: Any) -> ReadingDesk:
    return ReadingDesk(identity, version)


@pytest.fixture
def job(desk: ReadingDesk) -> Job:
    job = desk.submit()
    desk.answer(job, 1, result())
    return desk.again(job)


def corrected(desk: ReadingDesk, job: Job) -> tuple[dict[int, str], dict[int, str]]:
    """Return the corrected lines, and the corrected cells of the table."""
    with unit_of_work(desk.identity):
        rows = corrections_at(job, 1).get(1, ())
    return corrected_lines(rows), {index: text for (_, index), text in corrected_cells(rows).items()}


def line_to(desk: ReadingDesk, job: Job, index: int, text: str) -> None:
    correct_line(identity=desk.identity, job_id=job.id, number=1, index=index, text=text)


def cell_to(desk: ReadingDesk, job: Job, index: int, text: str) -> None:
    correct_cell(identity=desk.identity, job_id=job.id, number=1, table=0, index=index, text=text)


def test_a_corrected_line_changes_its_cell_and_takes_it_back(desk: ReadingDesk, job: Job) -> None:
    line_to(desk, job, 1, "56-1367")
    assert corrected(desk, job) == ({1: "56-1367"}, {0: "1 56-1367"})
    line_to(desk, job, 0, "7")
    assert corrected(desk, job)[1] == {0: "7 56-1367"}
    undo_line(identity=desk.identity, job_id=job.id, number=1, index=1)
    assert corrected(desk, job) == ({0: "7"}, {0: "7 56-1361"})
    undo_line(identity=desk.identity, job_id=job.id, number=1, index=0)
    assert corrected(desk, job) == ({}, {})


def test_a_corrected_cell_changes_its_lines_and_takes_them_back(desk: ReadingDesk, job: Job) -> None:
    cell_to(desk, job, 1, "205")
    assert corrected(desk, job) == ({2: "205"}, {1: "205"})
    cell_to(desk, job, 0, "1 56-1367")
    assert corrected(desk, job)[0] == {0: "1", 1: "56-1367", 2: "205"}
    undo_cell(identity=desk.identity, job_id=job.id, number=1, table=0, index=0)
    assert corrected(desk, job) == ({2: "205"}, {1: "205"})
    cell_to(desk, job, 1, "")
    assert corrected(desk, job) == ({2: ""}, {1: ""})


def test_exports_and_search_have_one_text(desk: ReadingDesk, job: Job) -> None:
    cell_to(desk, job, 1, "Walnuts")
    line_to(desk, job, 1, "99-0000")
    assert "1 99-0000\tWalnuts\teach\tday" in desk.exported(job, TEXT).decode()
    assert "| 1 99-0000 | Walnuts | each | day |" in desk.exported(job, MARKDOWN).decode()
    assert "1 99-0000,Walnuts,each,day" in desk.exported(job, CSV).decode()


def test_a_confirmed_cell_confirms_its_lines_and_the_other_way_round(desk: ReadingDesk, job: Job) -> None:
    cell_to(desk, job, 1, "204")
    assert corrected(desk, job) == ({2: "204"}, {1: "204"})
    line_to(desk, job, 0, "1")
    assert corrected(desk, job)[1] == {1: "204"}
    line_to(desk, job, 1, "56-1361")
    assert corrected(desk, job)[1] == {0: "1 56-1361", 1: "204"}


def test_what_is_not_made_of_whole_lines_stays_apart(desk: ReadingDesk, job: Job) -> None:
    line_to(desk, job, 3, "each week")
    assert corrected(desk, job) == ({3: "each week"}, {})
    assert "| each" not in desk.exported(job, MARKDOWN).decode()
    cell_to(desk, job, 3, "month")
    assert corrected(desk, job) == ({3: "each week"}, {3: "month"})
    line_to(desk, job, 4, "Above")
    assert corrected(desk, job)[0][4] == "Above"


@pytest.mark.parametrize(
    "more",
    [
        {"blocks": None},
        {"blocks": [None, {"lines": 5, "table": 0}, {"lines": [True, "2", 99, -1], "table": 0}]},
        {"blocks": [{"lines": [2], "table": 7}, {"lines": [2], "table": "0"}]},
        {"tables": [{"rows": "x"}]},
        {"tables": [table(("204",)) | {"cells": [cell(0, 0, "204", box=None)]}]},
        {"lines": [None, None, line("204", None)]},
        {"lines": "x"},
    ],
)
def test_odd_results_share_nothing(more: dict[str, Any]) -> None:
    odd = result(**more)
    assert cell_of_line(odd, 2) is None
    assert lines_of_cell(odd, 0, 1) is None
    assert lines_of_cell(odd, 0, 99) is None


WORD = st.text("abc", min_size=1, max_size=3)


@given(st.lists(WORD, min_size=1, max_size=5), st.lists(WORD, max_size=6))
def test_the_lines_have_all_the_words_of_the_cell(lines: list[str], words: list[str]) -> None:
    shared = SharedCell(0, 0, " ".join(lines), dict(enumerate(lines)))
    found = shared.lines_with(" ".join(words))
    assert " ".join(filter(None, found.values())) == " ".join(words)
    assert list(found) == list(range(len(lines)))


@given(st.lists(WORD, min_size=1, max_size=5), st.data())
def test_a_text_that_changes_one_line_leaves_the_others(lines: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(lines) - 1))
    shared = SharedCell(0, 0, " ".join(lines), dict(enumerate(lines)))
    changed = {place: "new text"}
    wanted = {**shared.lines, **changed}
    assert shared.text_with(changed) == " ".join(wanted.values())
    assert shared.lines_with(" ".join(wanted.values())) == wanted
    assert shared.lines_with("\n".join(wanted.values())) == wanted
