"""Tests of one open stream, with a caller who hangs up, receives nothing, or loses access."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.conf import settings

from jobs.streaming import following as module
from jobs.streaming.authorizer import Authorizer
from jobs.streaming.credential_checks import CredentialChecks
from jobs.streaming.credentials import Credential, Sessions
from jobs.streaming.following import Follower, Following
from jobs.streaming.hub import SPREAD_MS, Hub
from jobs.streaming.tails import TenantTail
from tenants.core.asgi.credentials import UnknownCallers
from tenants.core.asgi.protocol import Message
from tenants.core.asgi.threads import DatabaseThreads
from tenants.identity.identity import Identity
from tests.event_source import Said, said_in


@dataclass
class Caller:
    """A caller that receives what is sent as long as `takes` is true, and hangs up when the test says so."""

    takes: bool = True
    sent: list[Message] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if not self.takes:
            await asyncio.Event().wait()
        self.sent.append(message)
        self.heard.set()

    @property
    def said(self) -> list[Said]:
        whole = b"".join(message.get("body", b"") for message in self.sent)
        return list(said_in(whole.decode().split("\n")))

    @property
    def ended(self) -> bool:
        return bool(self.sent) and not self.sent[-1].get("more_body", False)


Check = Callable[[Hub, Caller, "asyncio.Task[None]"], Awaitable[None]]


def _follow(identity: Identity, caller: Caller, check: Check) -> None:
    async def run() -> None:
        hub, threads = Hub(settings.MAAS_REDIS_URL), DatabaseThreads("events", 2)
        unknown_callers = UnknownCallers()
        credential_checks = CredentialChecks(Authorizer(threads, Sessions(threads, unknown_callers), unknown_callers))
        try:
            following = Following(hub, threads, credential_checks)
            tail = TenantTail(identity, None)
            first = await following.read(tail)
            line = Follower(caller.receive, caller.send)
            stream = asyncio.create_task(following.tenant(line, Credential(identity), tail, first, tail.place))
            await check(hub, caller, stream)
            async with asyncio.timeout(10):
                await stream
            assert not hub.watched()
        finally:
            hub.close()
            threads.close()

    asyncio.run(run())


def test_nobody_reads_for_a_caller_who_hung_up(identity: Identity) -> None:
    async def check(hub: Hub, caller: Caller, stream: "asyncio.Task[None]") -> None:
        await caller.heard.wait()
        caller.gone.set()

    caller = Caller()
    _follow(identity, caller, check)
    assert not caller.ended


def test_who_takes_nothing_is_cut_off(identity: Identity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLOW_CLIENT_S", 0.05)

    async def check(hub: Hub, caller: Caller, stream: "asyncio.Task[None]") -> None:
        pass

    caller = Caller(takes=False)
    _follow(identity, caller, check)
    assert caller.sent == []


def test_silence_is_filled_with_comments(identity: Identity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEEP_ALIVE_S", 0.01)

    async def check(hub: Hub, caller: Caller, stream: "asyncio.Task[None]") -> None:
        while not any(said.comment == "keep-alive" for said in caller.said):
            caller.heard.clear()
            await caller.heard.wait()
        caller.gone.set()

    _follow(identity, Caller(), check)


def test_a_process_that_stops_sends_each_away_for_a_time_of_its_own(identity: Identity) -> None:
    pauses = set()
    for _ in range(3):
        caller = Caller()

        async def check(hub: Hub, caller: Caller, stream: "asyncio.Task[None]") -> None:
            await caller.heard.wait()
            hub.close()

        _follow(identity, caller, check)
        last = caller.said[-1]
        assert (last.name, last.data["code"]) == ("close", "restarting")
        assert caller.ended
        pauses.add(last.retry_ms)
    assert all(SPREAD_MS[0] <= (pause or 0) < SPREAD_MS[1] for pause in pauses)
    assert len(pauses) > 1
