"""A client of the tus protocol that can also break the protocol."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import httpx

BYTES = "application/offset+octet-stream"


def metadata(name: str = "scan.pdf") -> str:
    return f"filename {base64.b64encode(name.encode()).decode()}"


def checksum(content: bytes) -> str:
    return f"sha256 {base64.b64encode(sha256(content).digest()).decode()}"


@dataclass(frozen=True)
class Tus:
    url: str
    key: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}", "Tus-Resumable": "1.0.0"}

    def ask(self, method: str, path: str = "", **options: Any) -> httpx.Response:
        headers: Mapping[str, str | None] = options.pop("headers", {})
        sent = {name: value for name, value in {**self.headers, **headers}.items() if value is not None}
        return httpx.request(method, f"{self.url}{path or '/v1/uploads'}", headers=sent, timeout=60, **options)

    def create(self, size: int, **headers: str | None) -> httpx.Response:
        return self.ask("POST", headers={"Upload-Length": str(size), "Upload-Metadata": metadata(), **headers})

    def begin(self, size: int) -> str:
        """Create an upload and return its URL."""
        answer = self.create(size)
        assert answer.status_code == 201, answer.text
        return answer.headers["location"]

    def send(self, path: str, offset: int, content: bytes, **headers: str | None) -> httpx.Response:
        told = {"Upload-Offset": str(offset), "Content-Type": BYTES, **headers}
        return self.ask("PATCH", path, headers=told, content=content)

    def offset(self, path: str) -> int:
        answer = self.ask("HEAD", path)
        assert answer.status_code == 200
        return int(answer.headers["upload-offset"])

    def shown(self, path: str) -> dict[str, Any]:
        answer: dict[str, Any] = self.ask("GET", path).json()
        return answer
