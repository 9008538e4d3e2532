"""Reads the parts that several requests share: the idempotency key, fields of forms, and a document named by URL."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from inference.gateway.repeated_names import RepeatedName, without_repeated
from jobs.attachments.services import OUTERMOST, Nesting
from jobs.core.deadlines import NotASpan, read_span
from jobs.core.priorities import NUMBERS
from jobs.core.reading_flags import LONGEST_LABEL, is_label
from jobs.core.storable import unstorable_text
from jobs.documents.uploads import FETCH, Address, Fetch, Upload
from jobs.idempotency.holds import Hold
from jobs.idempotency.idempotent_requests import Answered
from jobs.idempotency.keys import checked_key
from jobs.intake.fetching import UrlNotAllowed
from tenants.core.asgi.protocol import UPLOAD
from tenants.core.errors import InvalidRequest
from tenants.core.http_client.client import check_url
from tenants.core.http_client.errors import EgressRefused
from tenants.core.messages import one_of


def body_values(request: Request, form_of: type[serializers.Serializer[Any]]) -> dict[str, Any]:
    """Return the checked values of a JSON body."""
    if not isinstance(request.data, dict):
        raise InvalidRequest("The body must be a JSON object.")
    form = form_of(data=request.data)
    form.is_valid(raise_exception=True)
    return dict(form.validated_data)


def key_of(request: Request) -> str | None:
    return checked_key(request.headers.get("Idempotency-Key"))


def replay_headers(answered: Answered[Any]) -> dict[str, str]:
    return {"Idempotent-Replay": "true"} if answered.replayed else {}


def index_of(params: Mapping[str, str]) -> int | None:
    """Return the position that the query names, counted from 0, if it names any."""
    index = params.get("index")
    if index is not None and not (index.isdecimal() and index.isascii() and len(index) <= 6):
        raise InvalidRequest(f"index={index[:40]!r} is no position. Use a whole number from 0.")
    return None if index is None else int(index)


def label_of(params: Mapping[str, str]) -> str | None:
    """Return the class of documents that a list is restricted to, if any."""
    label = params.get("class")
    if label is not None and not is_label(label):
        raise InvalidRequest(
            f"class={label[:40]!r} is no class. Use a label of up to {LONGEST_LABEL} characters, "
            "such as invoice or unsure."
        )
    return label


def span_of(text: str | None, name: str) -> int | None:
    if text is None:
        return None
    try:
        return read_span(text)
    except NotASpan as error:
        raise InvalidRequest(f"{name}: {error}.") from None


def priority_of(name: str) -> int:
    if name not in NUMBERS:
        raise InvalidRequest(f"Unknown priority {name[:40]!r}. Use {one_of(NUMBERS)}.")
    return NUMBERS[name]


def attachments_wanted(text: str | None) -> Nesting | None:
    """Return whether the attachments of an email are taken too, by the field of a form."""
    if text not in (None, "true", "false"):
        raise InvalidRequest(f"Unknown value attachments={text[:40]!r}. Use true or false.")
    return None if text == "false" else OUTERMOST


def class_set_wanted(fields: Mapping[str, Any]) -> str | None:
    """Return the class set by the fields of a body or form: None for the default set, and an empty text for none."""
    return fields["class_set"] or "" if "class_set" in fields else None


def json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=without_repeated)
    except RepeatedName as error:
        raise InvalidRequest(f"The field `parameters`: {error}") from None
    except RecursionError:
        raise InvalidRequest("The field `parameters` is nested too deeply.") from None
    except ValueError as error:
        raise InvalidRequest(f"The field `parameters` is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidRequest("The field `parameters` must be a JSON object.")
    if unstorable_text(value) is not None:
        raise InvalidRequest("The field `parameters` contains a NUL character or half a surrogate pair.")
    return value


def fetched(request: Request) -> Upload | None:
    """Return the fetched file if this is the second time that the request comes here."""
    upload = request.META.get(UPLOAD)
    return upload if isinstance(upload, Upload) and upload.fetched else None


def checked_address(url: str, name: str = "", password: str = "") -> Address:
    try:
        check_url(url)
    except EgressRefused as error:
        raise UrlNotAllowed(error.detail) from error
    return Address(url, name, password)


def fetch_first(request: Request, address: Address, hold: Callable[[], Hold | None]) -> Response:
    """Ask the live layer to fetch the file. It replaces this response. `hold` takes the idempotency key."""
    fetch = request.META.get(FETCH)
    if not isinstance(fetch, Fetch):
        raise InvalidRequest(
            "A request that names a URL must have at most 65536 bytes, and unescaped field names if it is JSON."
        )
    held = hold()
    fetch.wanted, fetch.hold_id = address, held.id if held else None
    return Response(status=202)
