"""Requests readiness from processes over HTTP, names failing checks, and words the message when everything runs."""

import asyncio
import contextlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
    """Return the failing checks with their reasons from a JSON response. Return an empty text if the response has
    none.
    """
    try:
        checks = json.loads(body)["checks"]
        failing = [f"{name} ({check['detail']})" for name, check in checks.items() if not check["ok"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""
    return ", ".join(failing)


def welcome(url: str, home: Path, demo: Mapping[str, str], metrics_urls: Mapping[str, str]) -> list[str]:
    """Return text lines to print without a prefix, so that the last of them can be pasted."""
    logins = f"{demo.get('MAAS_EMAIL', '?')}  password {demo.get('MAAS_PASSWORD', '?')}"
    operator = f"{demo.get('MAAS_OPERATOR_EMAIL', '?')}  password {demo.get('MAAS_OPERATOR_PASSWORD', '?')}"
    scraped = {"web": f"{url}/metrics", **metrics_urls}
    metrics = "  ".join(f"{name} {address}" for name, address in scraped.items())
    return [
        "",
        f"  Dashboard   {url}/",
        f"              {logins}",
        f"  Admin       {url}/admin/",
        f"              {operator}",
        f"  API docs    {url}/v1/docs",
        f"  Metrics     {metrics}",
        f"  State       {home}  (logins and key: {home / 'demo.env'})",
        "",
        "  Read a scanned document:",
        "",
        curl_line(url, home / "sample.pdf", demo.get("MAAS_API_KEY", "")),
        "",
        "  Ctrl-C stops everything.",
    ]


def curl_line(url: str, sample: Path, key: str) -> str:
    headers = ["-H", f"Authorization: Bearer {key}", "-H", "Prefer: wait=30"]
    fields = ["-F", "model=parse", "-F", f"file=@{sample}"]
    return shlex.join(["curl", "-s", *headers, *fields, f"{url}/v1/jobs"])
