"""Tests of several jobs in one ZIP archive."""

import gc
import io
import json
import zipfile
from collections.abc import Iterator

import pytest
from django.db import connections
from hypothesis import given
from hypothesis import strategies as st

from inference.core.contracts import Units, WorkOutput
from jobs.queue.settlement import finish_page
from jobs.results.exports.archive import MAX_JOBS, Archive, archived_jobs, folder_names
from jobs.results.exports.export_slots import TooManyExports
from tenants.core.db.unit_of_work import APP
from tenants.core.errors import InvalidRequest, NotFound
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk


def opened(desk: Desk, *job_ids: object) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(b"".join(made(desk, *job_ids))))


def made(desk: Desk, *job_ids: object) -> Iterator[bytes]:
    archive = Archive(desk.identity.tenant_id, archived_jobs(desk.identity, [str(one) for one in job_ids]))
    try:
        yield from archive
    finally:
        archive.close()


def test_each_job_has_a_folder_with_its_result_and_its_text(desk: Desk) -> None:
    first, second = desk.submit(pages=2), desk.submit(pages=2)
    for page, text in zip(desk.pages(first), ("one", "zwei ü"), strict=True):
        finish_page(desk.claimed(page), WorkOutput({"text": text}, Units(pages=1)))
    whole = opened(desk, first.id, second.id)
    assert whole.testzip() is None
    assert sorted(whole.namelist()) == [
        "a (2).pdf/result.json",
        "a (2).pdf/text.txt",
        "a.pdf/result.json",
        "a.pdf/text.txt",
    ]
    result = json.loads(whole.read("a.pdf/result.json"))
    assert (result["job"], result["text"]) == (str(first.id), "one\n\nzwei ü")
    assert "zwei ü" in whole.read("a.pdf/text.txt").decode()
    assert json.loads(whole.read("a (2).pdf/result.json"))["state"] == "queued"


def test_an_archive_is_sent_while_it_is_made(desk: Desk) -> None:
    blocks = made(desk, desk.submit().id, desk.submit().id)
    first = next(blocks)
    assert first.startswith(b"PK")
    assert b"result.json" in first
    assert b"text.txt" not in first
    blocks.close()  # type: ignore[attr-defined]  # a generator, as whoever hangs up closes it


def test_a_third_archive_of_a_tenant_waits_for_the_end_of_one(desk: Desk, other_identity: Identity) -> None:
    first, second = Archive(desk.identity.tenant_id, []), Archive(desk.identity.tenant_id, [])
    with pytest.raises(TooManyExports) as refusal:
        Archive(desk.identity.tenant_id, [])
    assert refusal.value.extra == {"gate": "exports", "retry_after_s": 10}
    Archive(other_identity.tenant_id, []).close()
    first.close()
    Archive(desk.identity.tenant_id, []).close()
    second.close()


def test_an_archive_that_nobody_reads_or_closes_gives_its_place_back(desk: Desk) -> None:
    for _ in range(3):
        Archive(desk.identity.tenant_id, [])
        gc.collect()


def test_what_a_reader_leaves_waiting_holds_no_transaction(desk: Desk) -> None:
    blocks = made(desk, desk.submit(pages=2).id, desk.submit().id)
    for _ in blocks:
        assert not connections[APP].in_atomic_block


@pytest.mark.parametrize("number", [0, MAX_JOBS + 1])
def test_too_few_or_too_many_are_refused_in_exact_words(desk: Desk, number: int) -> None:
    with pytest.raises(InvalidRequest, match=f"You requested {number} jobs. An archive can contain 1 to {MAX_JOBS}"):
        archived_jobs(desk.identity, [str(uuid7()) for _ in range(number)])


def test_another_tenants_job_is_like_one_that_never_was(desk: Desk, other_identity: Identity) -> None:
    foreign = Desk(other_identity, desk.version).submit()
    with pytest.raises(NotFound):
        archived_jobs(desk.identity, [str(desk.submit().id), str(foreign.id)])


def test_names_stay_as_they_are_where_any_system_takes_them() -> None:
    assert list(folder_names(["Invoice 7.pdf", "عقد.pdf"])) == ["Invoice 7.pdf", "عقد.pdf"]


def test_what_a_system_would_take_for_a_path_or_a_device_is_changed() -> None:
    given_names = ["../../etc/passwd", "a:b?.pdf", "CON.txt", "...", "x" * 300]
    assert list(folder_names(given_names)) == ["_.._etc_passwd", "a_b_.pdf", "_CON.txt", "document", "x" * 80]


def test_the_same_name_twice_is_numbered_whatever_its_case() -> None:
    assert list(folder_names(["a.pdf", "A.pdf", "a.pdf"])) == ["a.pdf", "A (2).pdf", "a (3).pdf"]


def test_two_spellings_of_an_accent_are_one_name() -> None:
    assert list(folder_names(["\u00e9.pdf", "e\u0301.pdf"])) == ["\u00e9.pdf", "\u00e9 (2).pdf"]


def test_letters_of_many_bytes_make_no_name_that_a_disk_refuses() -> None:
    made = list(folder_names(["\U0001f4c4" * 100] * 12))
    assert max(len(name.encode()) for name in made) <= 255


@given(st.lists(st.text(max_size=100), max_size=20))
def test_no_two_folders_are_alike_and_none_leaves_the_archive(names: list[str]) -> None:
    made = list(folder_names(names))
    assert len({name.casefold() for name in made}) == len(names)
    assert not any("/" in name or "\\" in name or name in {"", ".", ".."} for name in made)
