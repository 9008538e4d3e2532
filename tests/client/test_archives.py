"""Test archives of documents, with the client and with the command."""

import asyncio
import json
from pathlib import Path

import pytest

from maas_client import ArchiveTimedOut, AsyncClient, Client, InvalidRequest, NotFound
from tests.client.cli.conftest import Shell, maas
from tests.flows.product import Account, Product
from tests.jobs.archives import packing
from tests.samples.pdfs import text_pdf

__all__ = ["maas"]


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    path = tmp_path / "post.zip"
    content = packing.packed(
        [
            ("a.pdf", text_pdf("Dear apples")),
            ("b.pdf", text_pdf("Dear pears")),
            ("notes.bin", b"\0no document"),
        ]
    )
    path.write_bytes(content)
    return path


def test_an_archive_becomes_documents_and_jobs_and_says_what_did_not(client: Client, packed: Path) -> None:
    told: list[int] = []
    archive = client.upload_archive(packed, model="parse", priority="bulk")
    assert (archive.name, archive.model, archive.entries_total) == ("post.zip", "parse@1", 3)
    archive = client.wait_for_archive(archive.id, told=lambda one: told.append(one.entries_waiting))
    assert (archive.state, archive.entries_done, archive.entries_failed, told[-1]) == ("done", 2, 1, 0)
    entries = list(client.archive_entries(archive.id))
    assert [entry.name for entry in entries] == ["a.pdf", "b.pdf", "notes.bin"]
    assert entries[2].error is not None
    assert entries[2].error.code == "unsupported_type"
    assert entries[0].job is not None
    assert client.wait(entries[0].job).text == "Dear apples"
    assert client.job(entries[0].job).priority == "bulk"
    assert archive.id in {one.id for one in client.archives()}
    client.delete_archive(archive.id)
    with pytest.raises(NotFound):
        client.archive(archive.id)


def test_an_archive_may_be_for_documents_alone_and_is_made_once_for_a_key(client: Client, packed: Path) -> None:
    first = client.upload_archive(packed, idempotency_key="post")
    again = client.upload_archive(packed, idempotency_key="post")
    assert (first.id, first.model) == (again.id, None)
    client.wait_for_archive(first.id)
    documents = [entry.document for entry in client.archive_entries(first.id)]
    assert client.document(str(documents[0])).name == "a.pdf"


def test_waiting_for_an_archive_may_end_before_it_does(client: Client) -> None:
    many = packing.packed((f"{number}.pdf", text_pdf(f"Number {number}")) for number in range(300))
    archive = client.upload_archive(many, name="many.zip")
    with pytest.raises(ArchiveTimedOut) as late:
        client.wait_for_archive(archive.id, seconds=0)
    assert late.value.archive.id == archive.id
    assert client.cancel_archive(archive.id).state == "canceled"


def test_what_is_no_archive_is_refused(client: Client, report: Path) -> None:
    with pytest.raises(InvalidRequest) as refused:
        client.upload_archive(report)
    assert refused.value.code == "archive_corrupt"


def test_coroutines_have_archives_too(product: Product, account: Account, packed: Path) -> None:
    async def use() -> list[str]:
        async with AsyncClient(product.running.url, account.key) as client:
            archive = await client.wait_for_archive((await client.upload_archive(packed)).id)
            return [entry.state async for entry in client.archive_entries(archive.id)]

    assert asyncio.run(use()) == ["done", "done", "failed"]


def test_the_command_unpacks_and_prints_what_each_document_says(maas: Shell, packed: Path) -> None:
    said = maas("run", "parse", packed, "--unpack")
    assert said.code == 3, "one of the files is no document"
    assert said.out.splitlines() == ["Dear apples", "", "Dear pears"]
    assert "post.zip/notes.bin: " in said.err
    assert "(unsupported_type)" in said.err
    assert "post.zip/a.pdf: job " in said.err
    packed.write_bytes(packing.packed([("a.pdf", text_pdf("Dear apples")), ("b.pdf", text_pdf("Dear pears"))]))
    told = maas("run", "parse", packed, "--unpack", "--format", "json")
    assert told.code == 0
    assert [result["text"] for result in json.loads(told.out)] == ["Dear apples", "Dear pears"]


def test_the_command_says_what_cannot_be_unpacked(maas: Shell, packed: Path, report: Path) -> None:
    assert maas("run", "parse", "--text", "words", "--unpack").code == 2
    assert maas("run", "parse", "https://example.com/a.zip", "--unpack").code == 2
    assert maas("run", "parse", packed, "--unpack", "--expires-after", "60").code == 2
    refused = maas("run", "parse", report, "--unpack")
    assert refused.code == 3
    assert "archive_corrupt" in refused.err
