"""Sends replies: JSON, the request's ID, and headers that keep browsers from sniffing and caches from storing it."""

import json
from dataclasses import dataclass

import structlog

from inference.core.contracts import Json
from maas.edge_mode.responses import internal_error, problem_of
from maas.web.errors.api_errors import CONTENT_TYPE
from tenants.core.asgi.protocol import Send

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    body: bytes
    content_type: str = "application/json"
    retry_after_s: object = None


def said(value: Json, status: int = 200) -> Reply:
    return Reply(status, json.dumps(value).encode())


def refused(error: Exception, request: str) -> Reply:
    problem = problem_of(error)
    if problem is None:
        log.error("edge_call_crashed", exc_info=error)
        problem = internal_error()
    body = json.dumps({**problem, "request_id": request}).encode()
    return Reply(int(str(problem["status"])), body, CONTENT_TYPE, problem.get("retry_after_s"))


async def send_reply(reply: Reply, send: Send, request: str, *, hang_up: bool) -> None:
    """Send a reply. `hang_up` means that the caller's body was not read, so the connection cannot carry another
    request.
    """
    headers = [
        (b"content-type", reply.content_type.encode()),
        (b"content-length", b"%d" % len(reply.body)),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-request-id", request.encode()),
    ]
    if reply.status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="maas-edge"'))
    if reply.retry_after_s is not None:
        headers.append((b"retry-after", str(reply.retry_after_s).encode()))
    if hang_up:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})
