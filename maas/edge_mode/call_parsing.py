"""Reads an incoming call within limits, and parses its body and query into work for a model."""

import io
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from rest_framework.exceptions import ParseError

from inference.core.contracts import Json, WorkInput
from inference.gateway.listening import ListenedCall
from jobs.submission.inputs import input_kind, normal_form, work_input
from maas.edge_mode.errors import UnsupportedMediaType
from maas.web.guard.body import Allowance, BodyMalformed, GuardedBody
from maas.web.json_parser import StorableJSONParser
from tenants.core.asgi.protocol import ClientGone, Receive, Scope, body_chunks, has_body, header
from tenants.core.asgi.stopping import Stop
from tenants.core.errors import InvalidRequest

JSON_TYPE = "application/json"
NO_DOCUMENTS = frozenset({"", "multipart/form-data", "application/x-www-form-urlencoded"})
HOW = (
    "send JSON as application/json, or a document itself with its own type, as in: "
    "curl -H 'Content-Type: application/pdf' --data-binary @scan.pdf"
)
FORMS = 'one of "text", "texts" and "tensors", and "parameters" if you like'


@dataclass(frozen=True, slots=True)
class Call:
    kind: str
    work: WorkInput
    parameters: Mapping[str, Json]


def media_type(content_type: str | None) -> str:
    """Return the media type. Refuse one that is neither JSON nor a document; the reader finds its true type."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind in NO_DOCUMENTS or (kind.endswith("json") and kind != JSON_TYPE):
        raise UnsupportedMediaType(f"The body is {kind or 'of no type'}: {HOW}")
    return kind


def read_asked(body: bytes) -> Call:
    try:
        given = StorableJSONParser().parse(io.BytesIO(body))
    except ParseError as error:
        raise InvalidRequest(str(error.detail)) from error
    if not isinstance(given, dict):
        raise InvalidRequest(f"The body must be a JSON object with {FORMS}.")
    parameters = given.pop("parameters", {})
    if not isinstance(parameters, dict):
        raise InvalidRequest("`parameters` must be an object of names and values.")
    try:
        form = normal_form(given)
    except InvalidRequest as error:
        raise InvalidRequest(f"The body must have {FORMS}; it has {_listed(given)}.") from error
    return Call(input_kind(form), work_input(form), parameters)


def read_parameters(query: bytes) -> dict[str, Json]:
    """Parse a query such as `?min_confidence=0.7&include_embedding=false`. A value that is not JSON is text."""
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, strict_parsing=bool(query))
    except ValueError as error:
        raise InvalidRequest(f"The query cannot be read: {error}. Write ?name=value&name=value.") from error
    found: dict[str, Json] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidRequest(f"The query gives {name[:60]!r} twice.")
        found[name] = _value(value)
    return found


def _value(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _listed(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name[:40]!r}" for name in list(given)[:10]) or "nothing of them"


class Incoming:
    def __init__(self, scope: Scope, receive: Receive, stop: Stop) -> None:
        self.scope = scope
        self._receive = receive
        self._stop = stop
        self.is_unread = has_body(scope)
        """True if more bytes may still arrive that will not be read."""

    async def chunks(self, allowance: Allowance) -> AsyncIterator[bytes]:
        allowance.check_length(header(self.scope, b"content-length"))
        body = GuardedBody(self.scope, self._receive, allowance, self._stop)
        try:
            async for chunk in body_chunks(body):
                yield chunk
        except ClientGone:
            if body.is_malformed:
                raise BodyMalformed from None
            raise
        self.is_unread = False

    def call(self, deadline_s: float) -> ListenedCall:
        return ListenedCall(self._receive, self._stop, deadline_s=deadline_s)
