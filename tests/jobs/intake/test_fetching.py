"""Tests of documents that are fetched by their URL, from a server that does what the test says."""

import asyncio
import io
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID, uuid4

import pytest

from jobs.documents.uploads import Address
from jobs.intake.fetching import Fetcher, Fetching
from jobs.intake.spool import Spool
from tenants.core.asgi.stopping import Restarting, Stop
from tenants.core.asgi.threads import BoundedThreads, Overloaded
from tenants.core.errors import DomainError
from tenants.core.http_client.client import Answer, Caps, Cut
from tenants.core.http_client.errors import EgressFailed
from tenants.core.http_client.urls import Rules, Target, read_url
from tests.tenants.core.http_client.conftest import own_certificate, receiver, world
from tests.tenants.core.http_client.world import DRIP_S, HOST, Make, World
from tests.waiting import eventually

__all__ = ["own_certificate", "receiver", "world"]
URL = f"https://{HOST}/papers/one%20more.pdf?signature=secret"


def check(url: str) -> Target:
    return read_url(url, Rules())


class Bench:
    def __init__(self, fetcher: Fetcher, spool: Spool, stop: Stop) -> None:
        self.fetcher, self.spool, self.stop = fetcher, spool, stop

    async def fetch(
        self, url: str = URL, *, name: str = "", tenant: UUID | None = None, max_bytes: int = 1000
    ) -> tuple[str, bytes]:
        with self.spool.file() as file:
            wanted = Fetching(tenant or uuid4(), max_bytes, Address(url, name), file)
            found = await self.fetcher.fetch(wanted)
            await file.finish()
            return found, file.path.read_bytes()

    async def error(self, url: str = URL, **options: Any) -> DomainError:
        with pytest.raises(DomainError) as failed:
            await self.fetch(url, **options)
        return failed.value


def run(
    tmp_path: Path,
    get: Any,
    act: Callable[[Bench], Awaitable[None]],
    *,
    places: int = 8,
    within_s: float = 20,
    timeout_s: float = 10,
) -> None:
    async def go() -> None:
        threads, stop = BoundedThreads("spool", 2), Stop()
        spool = Spool(tmp_path / "spool", threads)
        fetcher = Fetcher(stop, places=places, within_s=within_s, get=get, check=check, timeout_s=timeout_s)
        try:
            async with asyncio.timeout(30):
                await act(Bench(fetcher, spool, stop))
        finally:
            fetcher.close()
            spool.close()
            threads.close()

    asyncio.run(go())


def ok(body: bytes, *headers: bytes) -> bytes:
    lines = (b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(body), *headers)
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def test_a_document_is_written_as_it_comes_and_has_the_name_of_its_address(tmp_path: Path, world: Make) -> None:
    here = world(ok(b"%PDF-1"))

    async def act(bench: Bench) -> None:
        assert await bench.fetch() == ("one more.pdf", b"%PDF-1")
        assert await bench.fetch(name="mine.pdf") == ("mine.pdf", b"%PDF-1")

    run(tmp_path, here.client().fetch, act)
    assert b"GET /papers/one%20more.pdf?signature=secret HTTP/1.1\r\n" in here.receiver.requests[0]


def test_a_name_that_the_server_gives_goes_before_the_address(tmp_path: Path, world: Make) -> None:
    here = world(ok(b"x", b"Content-Disposition: attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf"))

    async def act(bench: Bench) -> None:
        assert (await bench.fetch())[0] == "résumé.pdf"

    run(tmp_path, here.client().fetch, act)


@pytest.mark.parametrize("location", ["http://169.254.169.254/latest/", "https://10.0.0.1/", "/else", ""])
def test_a_redirect_is_refused_and_not_followed_and_what_is_inside_is_not_repeated(
    tmp_path: Path, world: Make, location: str
) -> None:
    here = world(b"HTTP/1.1 302 Found\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % location.encode())

    async def act(bench: Bench) -> None:
        error = await bench.error()
        assert (error.code, error.extra["remote_status"]) == ("url_not_fetched", 302)
        assert "Redirects are not followed:" in error.detail

    run(tmp_path, here.client().fetch, act)
    assert len(here.receiver.requests) == 1


def test_of_a_redirect_to_a_public_place_the_host_is_told_and_no_more(tmp_path: Path, world: Make) -> None:
    there = b"https://files.example.com/a?signature=secret"
    here = world(b"HTTP/1.1 307 Moved\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % there)

    async def act(bench: Bench) -> None:
        error = await bench.error()
        assert "this one leads to 'files.example.com'" in error.detail
        assert "secret" not in error.detail

    run(tmp_path, here.client().fetch, act)


def test_a_name_that_leads_inside_is_answered_like_one_that_is_not_there(tmp_path: Path, world: Make) -> None:
    here = world()
    here.answers = [["10.0.0.7"], [], ["93.184.216.34", "127.0.0.1"]]

    async def act(bench: Bench) -> None:
        told = {str((error.code, error.detail)) for error in [await bench.error() for _ in range(3)]}
        assert len(told) == 1
        assert "url_not_allowed" in told.pop()

    run(tmp_path, here.client().fetch, act)
    assert here.dialled == []


def test_a_name_that_changes_its_mind_is_asked_once(tmp_path: Path, world: Make) -> None:
    here = world(ok(b"x"))
    here.answers = [["93.184.216.34"], ["127.0.0.1"]]

    async def act(bench: Bench) -> None:
        assert (await bench.fetch())[1] == b"x"
        assert (await bench.error()).code == "url_not_allowed"

    run(tmp_path, here.client().fetch, act)
    assert here.dialled == [("93.184.216.34", 443)]


@pytest.mark.parametrize(
    "answer", [ok(b"x" * 1001), b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5000], ids=["announced", "not announced"]
)
def test_what_is_too_large_is_not_kept_and_is_no_failure_of_its_server(
    tmp_path: Path, world: Make, answer: bytes
) -> None:
    here, tenant = world(answer), uuid4()

    async def act(bench: Bench) -> None:
        for _ in range(7):  # More than a server's failures that make it rest.
            error = await bench.error(tenant=tenant)
            assert (error.code, error.extra) == ("document_too_large", {"limit_bytes": 1000})

    run(tmp_path, here.client().fetch, act)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "4 bytes too short"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx", "compressed"),
        (b"SMTP ready\r\n\r\n", "not HTTP"),
    ],
)
def test_a_server_that_lies_about_its_answer_did_not_give_the_document(
    tmp_path: Path, world: Make, answer: bytes, words: str
) -> None:
    async def act(bench: Bench) -> None:
        error = await bench.error()
        assert (error.code, error.extra["reason"]) == ("url_not_fetched", "answer_invalid")
        assert words in error.detail

    run(tmp_path, world(answer).client().fetch, act)


def test_a_slow_drip_ends_at_the_time_for_all_of_it(tmp_path: Path, world: Make) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"
    here = world(head, endlessly=b"x", every_s=DRIP_S)

    async def act(bench: Bench) -> None:
        assert (await bench.error()).code == "url_too_slow"

    run(tmp_path, here.client().fetch, act, within_s=0.5)


def test_a_server_that_fails_often_rests_for_that_tenant_alone(tmp_path: Path, world: Make) -> None:
    here, tenant = world(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"), uuid4()

    async def act(bench: Bench) -> None:
        for _ in range(5):
            assert (await bench.error(tenant=tenant)).extra["remote_status"] == 500
        resting = await bench.error(tenant=tenant)
        assert (resting.code, resting.extra["retry_after_s"]) == ("url_paused", 30)
        assert (await bench.error()).code == "url_not_fetched"

    run(tmp_path, here.client().fetch, act)


def _gets(here: World) -> Callable[..., Answer]:
    """Return a function that fetches from the test's slow server, or from any other server, which responds at once."""

    def get(url: str, file: BinaryIO, *, caps: Caps, cut: Cut | None) -> Answer:
        if "slow" in url:
            return here.client().fetch(url, file, caps=caps, cut=cut)
        file.write(b"quick")
        return Answer(200, {}, b"")

    return get


SLOW = f"https://{HOST}/slow"


def test_one_tenants_slow_servers_delay_nobody_else_and_a_hang_up_frees_its_place(tmp_path: Path, world: Make) -> None:
    here, tenant = world(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", endlessly=b"", every_s=60), uuid4()

    async def act(bench: Bench) -> None:
        slow = [asyncio.ensure_future(bench.fetch(SLOW, tenant=tenant)) for _ in range(6)]
        await asyncio.to_thread(eventually, lambda: len(here.receiver.requests) == 2, "both places taken")
        for _ in range(10):
            assert (await bench.fetch("https://quick.example.com/a"))[1] == b"quick"
        assert len(here.receiver.requests) == 2
        began = time.monotonic()
        for one in slow:
            one.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        # Its slots are free again, although the server still sends nothing.
        assert (await bench.fetch("https://quick.example.com/a", tenant=tenant))[1] == b"quick"
        assert time.monotonic() - began < 5

    run(tmp_path, _gets(here), act)


def test_who_waits_too_long_for_a_turn_is_told_when_to_come_again(tmp_path: Path, world: Make) -> None:
    here, tenant = world(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", endlessly=b"", every_s=60), uuid4()

    async def act(bench: Bench) -> None:
        slow = asyncio.ensure_future(bench.fetch(SLOW, tenant=tenant))
        await asyncio.to_thread(eventually, lambda: here.receiver.requests, "the place taken")
        with pytest.raises(Overloaded) as busy:
            await bench.fetch("https://quick.example.com/a", tenant=tenant)
        assert busy.value.extra["retry_after_s"] == 5
        slow.cancel()

    run(tmp_path, _gets(here), act, places=4, timeout_s=0.1)


def test_a_stop_ends_what_is_being_fetched(tmp_path: Path, world: Make) -> None:
    here = world(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", endlessly=b"", every_s=60)

    async def act(bench: Bench) -> None:
        slow = asyncio.ensure_future(bench.fetch(SLOW))
        await asyncio.to_thread(eventually, lambda: here.receiver.requests, "a request")
        bench.stop.tell()
        with pytest.raises(Restarting):
            await slow

    run(tmp_path, here.client().fetch, act)


def test_a_cut_before_the_connection_stands_lets_none_stand(world: Make) -> None:
    cut, here = Cut(), world()
    cut.make()
    with cut, pytest.raises(EgressFailed, match="was aborted"):
        here.client().fetch(URL, io.BytesIO(), caps=Caps(needs_body=True), cut=cut)
    assert here.receiver.requests == []


def test_a_name_that_leads_inside_rests_like_one_that_is_not_there(tmp_path: Path, world: Make) -> None:
    """A caller could otherwise distinguish the two by how often each of them is tried."""
    inside, nowhere = world(), world()
    inside.answers, nowhere.answers = [["10.0.0.7"]], [[]]
    told: list[list[str]] = []
    for here in (inside, nowhere):
        tenant = uuid4()

        async def act(bench: Bench, tenant: UUID = tenant) -> None:
            told.append([(await bench.error(tenant=tenant)).code for _ in range(6)])

        run(tmp_path, here.client().fetch, act)
    assert told[0] == told[1]
    assert told[0][-1] == "url_paused"
