"""Batches as a customer makes them with the published `openai` package."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import openai
from openai.types import Batch, FileObject

from tests.waiting import eventually

EMBEDDINGS = "/v1/embeddings"
ENDED = {"completed", "failed", "expired", "cancelled"}
TIMEOUT_S = 120.0


def line(custom_id: str, body: object, url: str = EMBEDDINGS, **more: object) -> dict[str, object]:
    return {"custom_id": custom_id, "method": "POST", "url": url, "body": body, **more}


def embedding(custom_id: str, text: object, **body: object) -> dict[str, object]:
    return line(custom_id, {"model": "embed", "input": text, **body})


def jsonl(lines: Iterable[object]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in lines)


def send(client: openai.OpenAI, content: bytes, name: str = "calls.jsonl") -> FileObject:
    return client.files.create(file=(name, content), purpose="batch")


def begin(client: openai.OpenAI, content: bytes, endpoint: Any = EMBEDDINGS, **more: Any) -> Batch:
    given = send(client, content)
    return client.batches.create(input_file_id=given.id, endpoint=endpoint, completion_window="24h", **more)


def ended(client: openai.OpenAI, batch: Batch, timeout_s: float = TIMEOUT_S) -> Batch:
    def look() -> Batch | None:
        found = client.batches.retrieve(batch.id)
        return found if found.status in ENDED else None

    return eventually(look, f"the end of {batch.id}", timeout_s)


def results(client: openai.OpenAI, file_id: str | None) -> list[dict[str, Any]]:
    if file_id is None:
        return []
    return [json.loads(one) for one in client.files.content(file_id).text.splitlines()]


def custom_ids(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    return [one["custom_id"] for one in lines]
