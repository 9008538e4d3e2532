"""Tests of what is shown while the product is not ready."""

import asyncio
import shlex
from pathlib import Path

import pytest

from maas.local.launch.readiness import Readiness, ask_ready, curl_line, missing_in
from maas.local.supervisor.ports import free_port


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        (
            '{"checks": {"a": {"ok": true, "detail": "fine"}, "b": {"ok": false, "detail": "gone"}}}',
            "b (gone)",
        ),
        ('{"checks": []}', ""),
        ("not ready\n", ""),
        ("[1]", ""),
    ],
)
def test_failing_checks_are_named_with_their_reasons(body: str, missing: str) -> None:
    assert missing_in(body) == missing


def test_nobody_listening_is_not_ready() -> None:
    assert asyncio.run(ask_ready("127.0.0.1", free_port())) == Readiness(False)


@pytest.mark.parametrize(("status", "readiness"), [("200 OK", Readiness(True)), ("503 Busy", Readiness(False))])
def test_status_decides(status: str, readiness: Readiness) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {status}\r\n\r\nnot ready".encode())
        writer.close()

    async def scenario() -> Readiness:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            return await ask_ready("127.0.0.1", server.sockets[0].getsockname()[1])

    assert asyncio.run(scenario()) == readiness


def test_curl_line_survives_a_folder_with_a_space() -> None:
    line = curl_line("http://127.0.0.1:8000", Path("/home/a b/var/sample.pdf"), "maas_live_x")
    words = shlex.split(line)
    assert "file=@/home/a b/var/sample.pdf" in words
    assert "Authorization: Bearer maas_live_x" in words
    assert words[-1] == "http://127.0.0.1:8000/v1/jobs"
