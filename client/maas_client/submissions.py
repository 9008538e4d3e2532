"""What a job is made of, and the request that submits it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict
from uuid import uuid4

from maas_client.exchange import Request
from maas_client.uploads import Progress, Source, file_part

PRIORITIES = ("interactive", "standard", "bulk")
LONGEST_FETCH_S = 75.0
"""So long the service may be busy with a document that it fetches."""


class Work(TypedDict, total=False):
    """Beside the model: exactly one thing to work on, and how."""

    text: str
    texts: Sequence[str]
    tensors: Sequence[Mapping[str, Any]]
    """Each with `name`, `datatype`, `shape` and `data`, for ONNX graphs."""
    document: str
    """The id of one that was uploaded."""
    document_url: str
    """From where the service fetches it: `https://…`, without a sign-in."""
    parameters: Mapping[str, Any]
    name: str
    """What the file shall be called; its own name unless told."""
    priority: str
    """`interactive`, `standard` (unless told) or `bulk`."""
    expires_after: int
    """Seconds: if it is not done by then it ends as expired."""
    cancel_after: int
    """The same, as canceled."""
    progress: Progress
    idempotency_key: str
    """Your own name for this job: sent again within a day it gives the same job. A fresh one unless told."""


def submission(model: str, file: Source | None, work: Work) -> Request:
    given: list[str] = [
        name for name in ("text", "texts", "tensors", "document", "document_url") if name in work
    ]
    if len(given) + (file is not None) != 1:
        found = ", ".join(["a file"] * (file is not None) + given) or "nothing"
        raise TypeError(
            f"Give exactly one of a file, text, texts, tensors, document and document_url; there is {found}."
        )
    headers = key_header(work.get("idempotency_key"))
    if "cancel_after" in work:
        headers["Cancel-After"] = str(work["cancel_after"])
    parameters = dict(work.get("parameters", {}))
    if file is not None:
        part = file_part(file, work.get("name"), work.get("progress"))
        form = {"model": model, "parameters": json.dumps(parameters)}
        form |= {name: str(value) for name, value in _urgency(work).items()}
        return Request("POST", "/v1/jobs", form=form, file=part, headers=headers)
    body = {"model": model, "parameters": parameters, **_urgency(work), **_subject(work)}
    held_s = LONGEST_FETCH_S if "document_url" in work else 0.0
    return Request("POST", "/v1/jobs", json=body, headers=headers, held_s=held_s)


def of_document(work: Work, document_id: str) -> Work:
    """The same work, on a file that was uploaded by itself."""
    changed = work.copy()
    changed["document"] = document_id
    return changed


def key_header(own: str | None) -> dict[str, str]:
    """What makes a request that makes something safe to be sent again, by us or by a program that begins anew."""
    return {"Idempotency-Key": own or uuid4().hex}


def _urgency(work: Work) -> dict[str, Any]:
    return {name: work[name] for name in ("priority", "expires_after") if name in work}


def _subject(work: Work) -> dict[str, Any]:
    if "document" in work:
        return {"document": work["document"]}
    if "document_url" in work:
        return {"document_url": work["document_url"]}
    if "tensors" in work:
        return {"input": {"tensors": list(work["tensors"])}}
    return {"input": list(work["texts"]) if "texts" in work else work["text"]}
