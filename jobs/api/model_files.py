"""Reads requests that bring the file of a model: in a form, by its URL, or as the id of a finished upload."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from rest_framework.request import Request

from jobs.api.requests import checked_address, fetched
from jobs.core.models.jobs import LONGEST_URL
from jobs.core.storable import unstorable_text
from jobs.documents.uploads import FORM, Address, Upload
from jobs.uploads.model_uploads import opened_model, use_up
from tenants.core.asgi.protocol import UPLOAD
from tenants.core.errors import InvalidRequest
from tenants.core.messages import names_in_words
from tenants.identity.identity import Identity

BY_URL, BY_UPLOAD = "url", "upload"
PIPELINE = "pipeline"
OBJECTS = frozenset({"labels", "lineage", PIPELINE, "members"})
"""The fields that are objects. In a form they are texts that contain them."""
HOW = (
    "Send the model as multipart/form-data with a field named `file`, or name where it is, in a form or as JSON: "
    "`url`, or the `upload` that brought it. A pipeline is sent as `pipeline` with its `members`."
)


def _nothing() -> None:
    """Leave everything as it is."""


@dataclass(frozen=True)
class ModelFile:
    """The file of a model, however the request brought it."""

    mark: Mapping[str, str]
    """The values that make two requests with the same idempotency key the same."""
    opened: Callable[[], AbstractContextManager[Path]]
    """A function that returns the file on local disk, as a context. A pipeline has none, and the path means nothing."""
    use_up: Callable[[], None] = _nothing
    """A function that is called in the transaction that stores the model."""
    hold_id: UUID | None = None
    """The id of the hold on the idempotency key, under which the file was fetched."""


def model_fields(request: Request, allowed: Iterable[str]) -> Mapping[str, Any]:
    """Return the fields of a form or of a JSON body. Unknown fields are refused, since a misspelled one would do
    nothing.
    """
    fields, allowed = _fields(request), sorted(allowed)
    unknown = sorted(set(fields) - set(allowed))
    if unknown:
        raise InvalidRequest(f"Unknown fields: {names_in_words(unknown)}. Use {names_in_words(allowed)}.")
    for name, value in fields.items():
        if not isinstance(value, str) and not (name in OBJECTS and isinstance(value, dict)):
            raise InvalidRequest(f"The field `{name}` must be {'an object' if name in OBJECTS else 'a text'}.")
        if unstorable_text(value) is not None:
            raise InvalidRequest(f"The field `{name}` contains a NUL character or half a surrogate pair.")
    return fields


def model_source(request: Request, identity: Identity, fields: Mapping[str, Any]) -> ModelFile | Address:
    """Return the file that the request brought or names, or the URL from which it is still to be fetched."""
    sent = _sent_file(request)
    named = [name for name in (BY_URL, BY_UPLOAD, PIPELINE) if name in fields]
    if len(named) + (sent is not None) != 1:
        raise InvalidRequest(f"The request names {_in_words(sent, named)}. {HOW}")
    if sent is not None:
        return ModelFile({"content_sha256": sent.sha256}, lambda: nullcontext(sent.path))
    if named == [BY_UPLOAD]:
        return _finished(identity, fields[BY_UPLOAD])
    if named == [PIPELINE]:
        return ModelFile({}, lambda: nullcontext(Path()))
    if len(fields[BY_URL]) > LONGEST_URL:
        raise InvalidRequest(f"The `url` has {len(fields[BY_URL])} characters. Send {LONGEST_URL} at most.")
    address = checked_address(fields[BY_URL])
    upload = fetched(request)
    if upload is None:
        return address
    return ModelFile(mark_of(address), lambda: nullcontext(upload.path), hold_id=upload.hold_id)


def mark_of(address: Address) -> Mapping[str, str]:
    return {BY_URL: address.url}


def _finished(identity: Identity, upload_id: str) -> ModelFile:
    return ModelFile(
        {BY_UPLOAD: upload_id},
        lambda: opened_model(identity, upload_id),
        lambda: use_up(upload_id),
    )


def _fields(request: Request) -> Mapping[str, Any]:
    sent, form = _sent_file(request), request.META.get(FORM)
    if sent is not None:
        return sent.fields
    if isinstance(form, Mapping):
        return form
    if not request.content_type.startswith("application/json"):
        raise InvalidRequest(HOW)
    if not isinstance(request.data, dict):
        raise InvalidRequest("The body must be a JSON object.")
    return request.data


def _sent_file(request: Request) -> Upload | None:
    upload = request.META.get(UPLOAD)
    return upload if isinstance(upload, Upload) and not upload.fetched else None


def _in_words(sent: Upload | None, named: list[str]) -> str:
    return names_in_words([*(["file"] if sent is not None else []), *named]) if sent or named else "no file"
