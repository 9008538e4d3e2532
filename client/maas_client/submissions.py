"""The content of a job and the request that submits it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict
from uuid import uuid4

from maas_client.exchange import Request
from maas_client.uploads import Progress, Source, file_part

PRIORITIES = ("interactive", "standard", "bulk")
LONGEST_FETCH_S = 75.0
"""The longest time in seconds that the service needs for a document that it fetches."""


class Work(TypedDict, total=False):
    """The input and the options of a job, besides the model. Exactly one input is given."""

    text: str
    texts: Sequence[str]
    tensors: Sequence[Mapping[str, Any]]
    """The tensors for an ONNX graph, each with `name`, `datatype`, `shape` and `data`."""
    document: str
    """The id of an uploaded document."""
    document_url: str
    """The URL from which the service fetches the document: `https://…`, without a sign-in."""
    parameters: Mapping[str, Any]
    name: str
    """The name of the file. The default is the file's own name."""
    priority: str
    """The priority: `interactive`, `standard` (the default) or `bulk`."""
    expires_after: int
    """Seconds after which the job ends as expired if it is not done."""
    cancel_after: int
    """Seconds after which the job ends as canceled if it is not done."""
    password: str
    """The password of an encrypted PDF. The service uses it once and does not store it."""
    attachments: bool
    """Whether the attachments of an email are read too. The default is yes."""
    class_set: str | None
    """Your class set that classes the document, with a version or without: `letters`, `letters@3`. The default is
    your default set, and None turns that off."""
    progress: Progress
    idempotency_key: str
    """Your own key for this job. The same key within a day returns the same job. The default is a new key."""


def submission(model: str, file: Source | None, work: Work) -> Request:
    given: list[str] = [name for name in ("text", "texts", "tensors", "document", "document_url") if name in work]
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
        form |= {name: _in_form(value) for name, value in _options(work).items()}
        return Request("POST", "/v1/jobs", form=form, file=part, headers=headers)
    body = {"model": model, "parameters": parameters, **_options(work), **_subject(work)}
    held_s = LONGEST_FETCH_S if "document_url" in work else 0.0
    return Request("POST", "/v1/jobs", json=body, headers=headers, held_s=held_s)


def of_document(work: Work, document_id: str) -> Work:
    """Return the same work for a file that was uploaded separately."""
    changed = work.copy()
    changed["document"] = document_id
    return changed


def key_header(own: str | None) -> dict[str, str]:
    """Return the header that makes it safe to send a creating request again, from here or after a program's restart."""
    return {"Idempotency-Key": own or uuid4().hex}


def _options(work: Work) -> dict[str, Any]:
    names = ("priority", "expires_after", "attachments", "password", "class_set")
    return {name: work[name] for name in names if name in work}  # type: ignore[literal-required]  # all are fields


def _in_form(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _subject(work: Work) -> dict[str, Any]:
    if "document" in work:
        return {"document": work["document"]}
    if "document_url" in work:
        return {"document_url": work["document_url"]}
    if "tensors" in work:
        return {"input": {"tensors": list(work["tensors"])}}
    return {"input": list(work["texts"]) if "texts" in work else work["text"]}
