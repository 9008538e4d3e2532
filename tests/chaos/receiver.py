"""Receives jobs' webhooks. It responds, fails and delays as the seed decides, and stores what arrived."""

import asyncio
import random
import time
from collections.abc import Mapping
from typing import Self

from jobs.webhooks.signing import is_genuine

from .deliveries import Told, told

_FAILS, _DAWDLES = 0.05, 0.03
_LONGEST_S = 2.0


class Receiver:
    """A server of the harness itself. No fault applies to its connections."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(f"{seed}/receiver")
        self._failed: set[str] = set()
        self.told: list[Told] = []
        self.secret = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/hook"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            pairs = (line.partition(":") for line in head[1:] if line)
            headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
            body = await reader.readexactly(int(headers["content-length"]))
            await self._answer(writer, headers, body)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, headers: Mapping[str, str], body: bytes) -> None:
        if self._chance.random() < _DAWDLES:
            await asyncio.sleep(self._chance.uniform(0.1, _LONGEST_S))
        message = headers.get("webhook-id", "")
        # It fails only once for each message, because the schedule's second pause is five minutes.
        fails = message not in self._failed and self._chance.random() < _FAILS
        self._failed.add(message)
        if not fails:
            genuine = is_genuine(headers, body, secret=self.secret, now_s=time.time())
            self.told.append(told(message, body, genuine=genuine))
        status = b"500 Oh no" if fails else b"204 Thanks"
        writer.write(b"HTTP/1.1 " + status + b"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
