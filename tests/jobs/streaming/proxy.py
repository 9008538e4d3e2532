"""An HTTP/1.1 proxy process that reads headers, passes bodies on as they come, and hides the client IP."""

import asyncio
import subprocess
import sys
from types import TracebackType
from typing import Self

from tests.kept_cluster import PROJECT


class Proxy:
    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self.url = ""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.jobs.streaming.proxy", str(self._to_port)]
        self._process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def _serve(to_port: int) -> None:
    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        lines[1:1] = [b"X-Forwarded-For: 192.0.2.1", b"Via: 1.1 proxy", b"Connection: close"]
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", to_port)
        far_writer.write(b"\r\n".join(lines))
        await asyncio.gather(_carry(reader, far_writer), _carry(far_reader, writer))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
