"""Test files that are sent in parts, over connections that break."""

import asyncio
import os
from pathlib import Path

import pytest

from maas_client import AsyncClient, Client, InvalidRequest, sending
from tests.flows.product import Account, Product
from tests.samples.pdfs import text_pdf

from .cable import Cable

PART = 100_000


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the parts small, because real ones would take minutes."""
    monkeypatch.setattr(sending, "LARGE_BYTES", PART)
    monkeypatch.setattr("maas_client.calls.LARGE_BYTES", PART)
    monkeypatch.setattr(sending, "PART_BYTES", PART)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Return the path of a PDF with a unique end."""
    path = tmp_path / "large.pdf"
    path.write_bytes(text_pdf("Page one", "Page two", trailer=b"/Note (%s)" % os.urandom(400_000).hex().encode()))
    return path


def uploads_of(client: Client) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = client._http.get(
        f"{client._configuration.url}/v1/uploads", params={"limit": 100}
    ).json()["data"]
    return listed


def test_a_large_file_goes_in_parts_and_is_one_document(client: Client, large: Path) -> None:
    told: list[int] = []
    document = client.upload(large, progress=lambda sent, total: told.append(sent))
    assert (document.name, document.pages_total, document.duplicate) == ("large.pdf", 2, False)
    assert document.size_bytes == told[-1] == large.stat().st_size
    assert len(told) >= large.stat().st_size // PART
    assert uploads_of(client)[0]["document"] == document.id
    assert client.upload(large).duplicate


def test_a_job_on_a_large_file_sends_it_in_parts(client: Client, large: Path) -> None:
    result = client.run("parse", large)
    assert [page.text for page in result.pages] == ["Page one", "Page two"]
    assert uploads_of(client)[0]["document"] == result.job.document


def test_a_line_that_breaks_costs_no_more_than_what_was_on_it(
    through_cable: Client, client: Client, cable: Cable, large: Path
) -> None:
    cuts: list[int] = []

    def cut_sometimes(sent: int, total: int) -> None:
        if sent // PART in (2, 5) and sent // PART not in cuts:
            cuts.append(sent // PART)
            cable.cut()

    before = len(uploads_of(client))
    document = through_cable.upload(large, progress=cut_sometimes)
    assert cuts == [2, 5]
    assert document.size_bytes == large.stat().st_size
    assert len(uploads_of(client)) == before + 1, "it was never begun anew"


def test_an_answer_that_is_lost_sends_nothing_twice(
    through_cable: Client, client: Client, cable: Cable, large: Path
) -> None:
    told: list[int] = []

    def lose_one(sent: int, total: int) -> None:
        told.append(sent)
        if len(told) == 3:
            cable.lose_next_answer()

    document = through_cable.upload(large, progress=lose_one)
    assert cable.answers_lost == 1
    assert told == sorted(set(told)), "no part was read twice"
    assert client.document(document.id).size_bytes == large.stat().st_size


def test_a_large_file_that_is_no_document_is_refused_with_its_reason(client: Client) -> None:
    with pytest.raises(InvalidRequest) as refused:
        client.upload(b"Rar!\x1a\x07\x00" + os.urandom(3 * PART), name="archive.pdf")
    assert refused.value.code == "unsupported_type"


async def upload_alone(url: str, key: str, path: Path) -> str:
    async with AsyncClient(url, key) as client:
        return (await client.upload(path)).id


def test_coroutines_send_large_files_likewise(product: Product, account: Account, client: Client, large: Path) -> None:
    document_id = asyncio.run(upload_alone(product.running.url, account.key, large))
    assert client.document(document_id).size_bytes == large.stat().st_size
