"""Requests readiness from processes over HTTP, and names the checks that fail."""

import asyncio
import contextlib
import json
from dataclasses import dataclass

_ANSWER_S = 5.0
_LONGEST_ANSWER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Readiness:
    ready: bool
    missing: str = ""
    """The checks that fail according to the process itself. It is empty while the process does not respond."""


async def ask_ready(host: str, port: int) -> Readiness:
    """Send one GET /readyz. The process counts as not ready while it does not respond."""
    try:
        async with asyncio.timeout(_ANSWER_S):
            return _parse(await _get(host, port))
    except (OSError, TimeoutError):
        return Readiness(False)


async def _get(host: str, port: int) -> bytes:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        name = f"[{host}]" if ":" in host else host
        writer.write(f"GET /readyz HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n".encode())
        return await reader.read(_LONGEST_ANSWER_BYTES)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _parse(answer: bytes) -> Readiness:
    head, _, body = answer.partition(b"\r\n\r\n")
    if head.split(b" ", 2)[1:2] == [b"200"]:
        return Readiness(True)
    return Readiness(False, missing_in(body.decode(errors="replace")))


def missing_in(body: str) -> str:
    """Return the failing checks with their reasons from the JSON of a response, or an empty text if it has none."""
    try:
        checks = json.loads(body)["checks"]
        failing = [f"{name} ({check['detail']})" for name, check in checks.items() if not check["ok"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""
    return ", ".join(failing)
