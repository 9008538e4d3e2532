"""Keeps a stream and a websocket of the tenant open. After each disconnect it reconnects and continues from its
cursor.
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tests.event_source import Said, said_in

from .streams import Heard

_SILENCE_S = 40.0
"""A timeout longer than the pause between two heartbeats."""
_PAUSE_S = 0.5


class Follower:
    """A listener that starts before there are any events, so that it must receive all of them."""

    name = ""

    def __init__(self, urls: Sequence[str], key: str) -> None:
        self._urls = urls
        self._headers = {"Authorization": f"Bearer {key}"}
        self._cursor = ""
        self._turn = random.Random(self.name).randrange(len(urls))
        self.ready = asyncio.Event()
        self.heard: list[Heard] = []
        self.times = 0
        """The number of times that it was connected."""

    async def follow(self) -> None:
        while True:
            self._turn += 1
            with suppress(httpx.HTTPError, OSError, WebSocketException, TimeoutError, EOFError):
                await self._listen(self._urls[self._turn % len(self._urls)])
            await asyncio.sleep(_PAUSE_S)

    async def _listen(self, url: str) -> None:
        raise NotImplementedError

    def _connected(self, cursor: str) -> None:
        """Record a connection. The first cursor counts: no event after it may be missed."""
        self._cursor = self._cursor or cursor
        self.times += 1
        self.ready.set()

    def _note(self, cursor: str, event: dict[str, Any]) -> None:
        self._cursor = cursor
        self.heard.append(Heard(str(event["job"]), int(event["seq"]), str(event["type"]), cursor, self.times))


class StreamFollower(Follower):
    name = "event stream"

    async def _listen(self, url: str) -> None:
        headers = {**self._headers, "Accept": "text/event-stream"}
        if self._cursor:
            headers["Last-Event-ID"] = self._cursor
        client = httpx.AsyncClient(headers=headers, timeout=_SILENCE_S, trust_env=False)
        async with client, client.stream("GET", f"{url}/v1/events") as answer:
            if answer.status_code != 200:
                return
            async for said in _blocks(answer):
                if said.name == "close":
                    return
                if said.name == "ready":
                    self._connected(said.id or "")
                elif said.id is not None and said.text:
                    self._note(said.id, said.data)


class SocketFollower(Follower):
    name = "websocket"

    async def _listen(self, url: str) -> None:
        address = url.replace("http://", "ws://", 1) + "/ws/v1/events"
        async with connect(address, additional_headers=self._headers, proxy=None, open_timeout=10) as socket:
            async for text in socket:
                message = json.loads(text)
                match message["type"]:
                    case "ready" if self._cursor:
                        await socket.send(json.dumps({"subscribe": "all", "after": self._cursor}))
                        # Events that arrive before the response may lie beyond a gap.
                        await self._until_subscribed(socket)
                        self._connected(self._cursor)
                    case "ready":
                        self._connected(message["cursor"])
                    case "event":
                        self._note(message["cursor"], message["event"])

    async def _until_subscribed(self, socket: Any) -> None:
        while json.loads(await asyncio.wait_for(socket.recv(), _SILENCE_S))["type"] != "subscribed":
            pass


async def _blocks(answer: httpx.Response) -> AsyncIterator[Said]:
    lines: list[str] = []
    async for line in answer.aiter_lines():
        lines.append(line)
        if not line:
            for said in said_in(lines):
                yield said
            lines.clear()
