"""nginx in front of a web process, configured as docs/operating.md describes."""

import re
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from maas.local.supervisor.ports import free_port
from tests.kept_cluster import PROJECT
from tests.waiting import eventually

PROGRAM = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
_EXAMPLE = re.compile(r"```nginx\n(.*?)```", re.DOTALL)
_WHOLE = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {example}
}}
"""


class Nginx:
    def __init__(self, folder: Path, to_port: int) -> None:
        self._folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        [example] = _EXAMPLE.findall((PROJECT / "docs" / "operating.md").read_text())
        example = example.replace("127.0.0.1:8080", f"127.0.0.1:{self.port}")
        example = example.replace("127.0.0.1:8000", f"127.0.0.1:{to_port}")
        (folder / "nginx.conf").write_text(_WHOLE.format(folder=folder, example=example))

    def __enter__(self) -> Self:
        assert PROGRAM is not None
        command = [PROGRAM, "-p", str(self._folder), "-c", str(self._folder / "nginx.conf")]
        with (self._folder / "said").open("wb") as said:
            self._process = subprocess.Popen(command, stdout=said, stderr=said)
        eventually(self._is_live, "nginx answers")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait(30)

    def _is_live(self) -> bool:
        assert self._process.poll() is None, (self._folder / "said").read_text()
        try:
            return httpx.get(f"{self.url}/livez").status_code == 200
        except httpx.TransportError:
            return False
