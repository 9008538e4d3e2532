"""Tests of documents that are inspected before Django is called, by a reader that takes as long as the test says."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from inference.core.calls import Call
from inference.core.errors import CallCanceled
from jobs.documents.reader import DocumentRejected, Inspection, ReaderUnavailable
from jobs.documents.reader.contents import PageSize
from jobs.documents.services import store_document
from jobs.documents.uploads import Upload
from jobs.intake.inspections import LONG_BYTES, Inspections, ReaderBusy
from tenants.core.asgi.stopping import Restarting, Stop
from tenants.core.asgi.threads import DatabaseThreads
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer, frozen_children
from tests.samples.pdfs import text_pdf
from tests.samples.uploads import arrived
from tests.waiting import eventually

FOUND = Inspection("text/plain", "text", (PageSize(0, 0),))


@dataclass
class SlowReader:
    """A reader that holds files named `slow` until allowed or canceled, and `hung` even after a cancel."""

    may: threading.Event = field(default_factory=threading.Event)
    seen: list[str] = field(default_factory=list)
    let_go: int = 0
    """The number of inspections that were canceled before their end."""

    def inspect_short_text(self, path: Path) -> Inspection | None:
        if path.name == "blank":
            raise DocumentRejected("document_empty", "nothing but blanks")
        return FOUND if path.name == "short" else None

    def decrypt(self, path: Path, password: str, copy: Callable[[bytes], object], call: Call) -> bool:
        raise AssertionError("nothing here has a password")

    def inspect(self, path: Path, call: Call) -> Inspection:
        self.seen.append(path.name)
        if path.name == "hung" and not self.may.wait(20):
            raise AssertionError("never allowed")
        if path.name == "slow":
            self._read_slowly(call)
        if path.name == "bad":
            raise DocumentRejected("document_corrupt", "bad")
        if path.name == "unlucky":
            raise ReaderUnavailable("no child")
        return FOUND

    def _read_slowly(self, call: Call) -> None:
        go_on = threading.Event()

        def wait() -> None:
            self.may.wait(20)
            go_on.set()

        threading.Thread(target=wait, daemon=True).start()
        call.on_cancel(go_on.set)
        assert go_on.wait(20), "never allowed"
        if not self.may.is_set():
            self.let_go += 1
            raise CallCanceled

    def close(self) -> None:
        self.may.set()


@dataclass
class Bench:
    reader: SlowReader
    stop: Stop
    inspections: Inspections

    async def look(self, tenant_id: UUID, name: str, size_bytes: int = 1) -> Upload:
        upload = Upload(Path(name), uuid4().hex, size_bytes, name, "text/plain")
        return await self.inspections.look_at(tenant_id, upload)

    async def slow(
        self, tenant_id: UUID, number: int, size_bytes: int = 1, name: str = "slow"
    ) -> "list[asyncio.Task[Upload]]":
        """Start slow inspections, and return when the first of them is in progress."""
        before = len(self.reader.seen)
        tasks = [asyncio.create_task(self.look(tenant_id, name, size_bytes)) for _ in range(number)]
        await asyncio.to_thread(eventually, lambda: len(self.reader.seen) > before, "a look at the first")
        return tasks


def run(
    check: Callable[[Bench], Awaitable[None]],
    *,
    children: int = 2,
    timeout_s: float = 20,
    quick_s: float = 0.05,
) -> None:
    async def go() -> None:
        reader, stop, lookups = SlowReader(), Stop(), DatabaseThreads("lookups", 2)
        inspections = Inspections(
            lambda: reader, lookups, stop, children=children, timeout_s=timeout_s, quick_s=quick_s
        )
        try:
            async with asyncio.timeout(20):
                await check(Bench(reader, stop, inspections))
        finally:
            inspections.close()
            lookups.close()

    asyncio.run(go())


def test_a_short_text_waits_for_no_child_and_is_not_asked_for_in_the_database() -> None:
    async def check(bench: Bench) -> None:
        tenant_id = uuid4()
        await bench.slow(tenant_id, 2)
        assert (await bench.look(tenant_id, "short")).inspection == FOUND
        rejected = (await bench.look(tenant_id, "blank")).inspection
        assert isinstance(rejected, DocumentRejected)
        assert rejected.code == "document_empty"
        assert bench.reader.seen == ["slow"]
        bench.reader.may.set()

    run(check, children=1)


def test_what_was_found_travels_with_the_upload_and_so_does_a_rejection() -> None:
    async def check(bench: Bench) -> None:
        tenant_id = uuid4()
        assert (await bench.look(tenant_id, "good")).inspection == FOUND
        rejected = (await bench.look(tenant_id, "bad")).inspection
        assert isinstance(rejected, DocumentRejected)
        assert rejected.code == "document_corrupt"

    run(check)


def test_slow_documents_of_one_tenant_keep_no_others_from_being_looked_at() -> None:
    async def check(bench: Bench) -> None:
        slow = await bench.slow(uuid4(), 10)
        for _ in range(5):
            assert (await bench.look(uuid4(), "good")).inspection == FOUND
        assert bench.reader.seen.count("slow") == 1
        bench.reader.may.set()
        assert {(await task).inspection for task in slow} == {FOUND}

    run(check)


def test_slow_small_documents_of_however_many_tenants_keep_no_others_from_being_looked_at() -> None:
    async def check(bench: Bench) -> None:
        slow = [task for _ in range(4) for task in await bench.slow(uuid4(), 1)]
        for _ in range(5):
            assert (await bench.look(uuid4(), "good")).inspection == FOUND
        bench.reader.may.set()
        assert {(await task).inspection for task in slow} == {FOUND}
        # One inspection continued in its slot. Each of the others began again at most once, when another upload waited.
        assert bench.reader.let_go <= 3
        assert bench.reader.seen.count("slow") == 4 + bench.reader.let_go

    run(check)


def test_a_slow_look_goes_on_in_its_place_where_nobody_else_waits_for_it() -> None:
    async def check(bench: Bench) -> None:
        tenant_id = uuid4()
        await bench.slow(uuid4(), 1)
        # The other two belong to one tenant, which holds all the slots that it may have. Nobody could use the slot if
        # the first of them gave it up.
        others = [await bench.slow(tenant_id, 1), [asyncio.create_task(bench.look(tenant_id, "good"))]]
        for _ in range(100):
            await asyncio.sleep(0)
        assert (bench.reader.seen, bench.reader.let_go) == (["slow", "slow"], 0)
        bench.reader.may.set()
        assert {(await task).inspection for tasks in others for task in tasks} == {FOUND}

    run(check, quick_s=0)


def test_whose_sender_has_gone_holds_the_tenants_turn_until_its_reader_is_through() -> None:
    async def check(bench: Bench) -> None:
        tenant_id = uuid4()
        for task in await bench.slow(tenant_id, 1, name="hung"):
            task.cancel()
            await asyncio.wait([task])
        with pytest.raises(ReaderBusy):
            await bench.look(tenant_id, "good")
        assert (await bench.look(uuid4(), "good")).inspection == FOUND
        bench.reader.may.set()

    run(check, timeout_s=0.05)


def test_large_documents_of_however_many_tenants_keep_no_others_from_being_looked_at() -> None:
    async def check(bench: Bench) -> None:
        first = await bench.slow(uuid4(), 1, LONG_BYTES)
        others = [asyncio.create_task(bench.look(uuid4(), "slow", LONG_BYTES)) for _ in range(3)]
        for _ in range(5):
            assert (await bench.look(uuid4(), "good")).inspection == FOUND
        assert bench.reader.seen.count("slow") == 1
        bench.reader.may.set()
        assert {(await task).inspection for task in (*first, *others)} == {FOUND}

    run(check)


def test_who_waits_too_long_for_the_turn_of_a_large_document_holds_none() -> None:
    async def check(bench: Bench) -> None:
        await bench.slow(uuid4(), 1, LONG_BYTES)
        for _ in range(3):
            with pytest.raises(ReaderBusy):
                await bench.look(uuid4(), "good", LONG_BYTES)
        assert (await bench.look(uuid4(), "good")).inspection == FOUND

    run(check, timeout_s=0.05)


def test_who_waits_too_long_for_a_turn_is_told_when_to_come_again() -> None:
    async def check(bench: Bench) -> None:
        tenant_id = uuid4()
        await bench.slow(tenant_id, 1)
        with pytest.raises(ReaderBusy) as busy:
            await bench.look(tenant_id, "good")
        assert (busy.value.code, busy.value.extra["retry_after_s"]) == ("reader_unavailable", 2)
        assert (await bench.look(uuid4(), "good")).inspection == FOUND

    run(check, timeout_s=0.05)


def test_a_reader_without_children_refuses_in_the_same_words() -> None:
    async def check(bench: Bench) -> None:
        for _ in range(3):  # Each gives its turn back.
            with pytest.raises(ReaderBusy):
                await bench.look(uuid4(), "unlucky")

    run(check, children=1)


def test_bytes_that_the_tenant_has_already_are_not_looked_at_again(
    identity: Identity, other_identity: Identity, tmp_path: Path
) -> None:
    upload = arrived(text_pdf("known"), tmp_path / "known.pdf")
    store_document(identity=identity, upload=upload)

    async def check(bench: Bench) -> None:
        again = Upload(Path("known"), upload.sha256, upload.size_bytes, "a", "b")
        assert (await bench.inspections.look_at(identity.tenant_id, again)).inspection is None
        assert (await bench.inspections.look_at(other_identity.tenant_id, again)).inspection == FOUND

    run(check)


def test_a_stop_ends_those_who_wait_and_those_who_are_looked_at() -> None:
    async def check(bench: Bench) -> None:
        tasks = await bench.slow(uuid4(), 2)
        bench.stop.tell()
        for task in tasks:
            with pytest.raises(Restarting):
                await task

    run(check)


def test_a_short_text_is_stored_while_no_child_gets_on(tenant: CreatedTenant) -> None:
    headers = {"Authorization": f"Bearer {tenant.key.text}"}
    with (
        GranianServer("maas.asgi:application", {"MAAS_READER_CHILDREN": "1"}) as server,
        httpx.Client(base_url=server.url, timeout=40, headers=headers) as client,
    ):

        def send(name: str, content: bytes) -> httpx.Response:
            return client.post("/v1/documents", files={"file": (name, content)})

        assert send("a.pdf", text_pdf("text")).status_code == 201
        with frozen_children(server, 1):
            assert send("a.txt", b"a short text").json()["pages_total"] == 1
            assert send("a.pdf", b" \n ").json()["code"] == "document_empty"


def test_documents_that_take_long_hold_no_thread_of_django(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    children, uploads = 2, 12
    env = {"MAAS_WEB_THREADS": "2", "MAAS_READER_CHILDREN": str(children)}
    with (
        GranianServer("maas.asgi:application", env) as server,
        ThreadPoolExecutor(uploads) as pool,
        httpx.Client(base_url=server.url, timeout=120) as client,
    ):

        def send(number: int) -> httpx.Response:
            key = (tenant, other_tenant)[number % 2].key.text
            files = {"file": ("a.pdf", text_pdf(f"text {number}"))}
            return client.post("/v1/documents", files=files, headers={"Authorization": f"Bearer {key}"})

        assert send(-1).status_code == 201
        with frozen_children(server, children):
            sent = [pool.submit(send, number) for number in range(uploads)]
            spool = server.home / "spool"
            eventually(lambda: len(list(spool.rglob("*"))) > uploads, "all uploads on disk")
            headers = {"Authorization": f"Bearer {tenant.key.text}"}
            for _ in range(10):
                assert client.get("/v1/models", headers=headers, timeout=5).status_code == 200
            eventually(lambda: sum(one.done() for one in sent) >= uploads - children, "refusals")
            refused = [one.result() for one in sent if one.done()]
        codes = [one.result().status_code for one in sent]
    assert {answer.json()["code"] for answer in refused} == {"reader_unavailable"}
    assert {answer.headers["retry-after"] for answer in refused} == {"2"}
    assert codes.count(201) == children
