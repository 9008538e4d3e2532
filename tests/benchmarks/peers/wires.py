"""How each server is asked over HTTP, and where its answer holds the vector."""

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Given = str | bytes
"""A text, or a row of float32."""
Vector = npt.NDArray[np.float32]


class Wire(Protocol):
    def request(self, given: Given) -> bytes: ...

    def vector(self, body: bytes) -> Vector: ...


def _post(path: str, body: bytes, headers: str = "") -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{headers}"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _floats(base64: str) -> Vector:
    return np.frombuffer(b64decode(base64), np.float32)


@dataclass(frozen=True)
class PlainJson:
    """One field in, one out: for servers whose author writes the protocol. Rows travel in base64, which they
    read several times faster than lists of numbers."""

    path: str
    listed: bool = False
    """Whether the server wants, and gives, a list of one."""

    def request(self, given: Given) -> bytes:
        value = given if isinstance(given, str) else b64encode(given).decode()
        return _post(self.path, json.dumps({"x": [value] if self.listed else value}).encode())

    def vector(self, body: bytes) -> Vector:
        answer = json.loads(body)
        return _floats(answer[0] if self.listed else answer["y"])


@dataclass(frozen=True)
class OpenInferenceBytes:
    """Tensors as bytes, both ways."""

    path: str
    headers: str = ""

    def request(self, given: Given) -> bytes:
        tensor: dict[str, object]
        if isinstance(given, str):
            data = given.encode()
            payload = len(data).to_bytes(4, "little") + data
            tensor = {"name": "x", "datatype": "BYTES", "shape": [1, 1]}
        else:
            payload = given
            tensor = {"name": "x", "datatype": "FP32", "shape": [1, len(given) // 4]}
        tensor["parameters"] = {"binary_data_size": len(payload)}
        asked = {"inputs": [tensor], "parameters": {"binary_data_output": True}}
        head = json.dumps(asked, separators=(",", ":")).encode()
        return _post(self.path, head + payload, f"Inference-Header-Content-Length: {len(head)}\r\n{self.headers}")

    def vector(self, body: bytes) -> Vector:
        _, start = json.JSONDecoder().raw_decode(body.decode("latin-1"))
        return np.frombuffer(body[start:], np.float32)


@dataclass(frozen=True)
class OpenInferenceJson:
    path: str

    def request(self, given: Given) -> bytes:
        if isinstance(given, str):
            tensor = {"name": "x", "datatype": "BYTES", "shape": [1], "data": [given]}
        else:
            row = np.frombuffer(given, np.float32)
            tensor = {"name": "x", "datatype": "FP32", "shape": [1, len(row)], "data": row.tolist()}
        return _post(self.path, json.dumps({"inputs": [tensor]}, separators=(",", ":")).encode())

    def vector(self, body: bytes) -> Vector:
        return np.array(json.loads(body)["outputs"][0]["data"], np.float32)


@dataclass(frozen=True)
class OpenAi:
    """As the openai package asks: vectors in base64."""

    model: str
    headers: str = ""

    def request(self, given: Given) -> bytes:
        asked = {"model": self.model, "input": given, "encoding_format": "base64"}
        return _post("/v1/embeddings", json.dumps(asked).encode(), self.headers)

    def vector(self, body: bytes) -> Vector:
        return _floats(json.loads(body)["data"][0]["embedding"])


@dataclass(frozen=True)
class Edge:
    """This product's edge mode."""

    model: str

    def request(self, given: Given) -> bytes:
        assert isinstance(given, bytes)
        row = np.frombuffer(given, np.float32)
        tensor = {"name": "x", "datatype": "FP32", "shape": [1, len(row)], "data": row.tolist()}
        body = json.dumps({"tensors": [tensor]}, separators=(",", ":")).encode()
        return _post(f"/v1/models/{self.model}/run", body)

    def vector(self, body: bytes) -> Vector:
        page = json.loads(body)["pages"][0]
        return np.array(page["outputs"][0]["data"], np.float32)
