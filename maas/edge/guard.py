"""The outermost layer: names every request, knows the caller before a body is read, and words every refusal."""

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError

from jobs.live.multipart import FormLimits, too_large
from jobs.live.protocol import (
    MEMBER,
    REQUEST_ID,
    App,
    ClientGone,
    Message,
    Receive,
    Scope,
    Send,
    bearer,
    cookie,
    has_body,
    header,
)
from jobs.live.sessions import identify_session
from jobs.live.stopping import Stop
from jobs.live.threads import DatabaseThreads
from jobs.live.uploads import caller, is_upload
from maas.api_errors import database_away
from maas.edge.body import Allowance, BodyTooLarge, Deadlines, GuardedBody
from maas.edge.caching import with_caching
from maas.edge.keys import KeyRing
from maas.edge.metrics import REFUSALS
from maas.edge.query_keys import carries_key
from maas.edge.refusals import INTERNAL_ERROR, Refusal, refusal, refuse_request, refuse_socket
from maas.edge.request_ids import request_id
from tenants.api.authentication import IDENTITY
from tenants.errors import DomainError, NotSignedIn
from tenants.identity import Identity

log = structlog.get_logger(__name__)
API_PATHS = ("/v1/", "/v2/", "/ws/")
READING = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class KeyInQuery(DomainError):
    code = "key_in_query"


class InternalError(DomainError):
    code = "internal_error"


class EdgeGuard:
    def __init__(
        self, inner: App, threads: DatabaseThreads, stop: Stop, deadlines: Deadlines | None = None
    ) -> None:
        self._inner = inner
        self._stop = stop
        self._threads = threads
        self._keys = KeyRing(threads)
        self._deadlines = deadlines or Deadlines()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[REQUEST_ID] = request_id(header(scope, b"x-request-id"))
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _Answer(send, scope)
        body: GuardedBody | None = None
        try:
            await self._identify(scope)
            allowance = self._allowance(scope)
            allowance.check_length(header(scope, b"content-length"))
            body = GuardedBody(receive, allowance, self._stop)
            await self._inner(scope, body, answer)
        except ClientGone:
            log.info("client_gone", path=scope["path"], request_id=scope[REQUEST_ID])
        except Exception as error:
            if answer.started:
                raise
            unread = has_body(scope) and not (body is not None and body.complete)
            await refuse_request(_worded(scope, error, hang_up=unread or body is None), answer)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        accepted = False

        async def watched(message: Message) -> None:
            nonlocal accepted
            accepted = accepted or message["type"] == "websocket.accept"
            await send(message)

        try:
            await self._identify(scope)
            await self._inner(scope, receive, watched)
        except Exception as error:
            refused = _worded(scope, error, hang_up=True)
            if accepted:
                await send({"type": "websocket.close", "code": INTERNAL_ERROR})
            else:
                await refuse_socket(scope, refused, send)

    async def _identify(self, scope: Scope) -> None:
        """Leaves the caller in the scope; refuses wrong credentials, and bodies that come without any."""
        if carries_key(scope["query_string"]):
            raise KeyInQuery(
                "Never put a key in an address: send it as Authorization: Bearer <key>, and replace this one."
            )
        if not scope["path"].startswith(API_PATHS):
            return
        key = bearer(scope)
        if key is not None:
            scope[IDENTITY] = await self._keys.identify(key)
        elif scope["type"] == "http" and scope["method"] not in READING:
            scope[MEMBER] = await self._signed_in(scope)

    async def _signed_in(self, scope: Scope) -> Identity:
        session_key = cookie(scope, settings.SESSION_COOKIE_NAME)
        member = await self._threads.run(identify_session, session_key) if session_key else None
        if member is None:
            raise NotSignedIn("Send your key as: Authorization: Bearer <key>.")
        return member

    def _allowance(self, scope: Scope) -> Allowance:
        if is_upload(scope):
            limits = FormLimits(caller(scope).limits.upload_bytes)
            return Allowance(
                limits.body_bytes,
                self._deadlines.idle_s,
                self._deadlines.upload_s,
                lambda: too_large(limits.file_bytes),
            )
        most = settings.MAAS_MAX_INLINE_BYTES
        return Allowance(
            most, self._deadlines.idle_s, self._deadlines.request_s, lambda: _body_too_large(most)
        )


class _Answer:
    """Puts on the answer what every answer says, and knows whether one has begun."""

    def __init__(self, send: Send, scope: Scope) -> None:
        self._send = send
        self._path = scope["path"]
        self._name = scope[REQUEST_ID].encode()
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = with_caching(self._path, message["headers"])
            message = {**message, "headers": [*headers, (b"x-request-id", self._name)]}
        await self._send(message)


def _body_too_large(most_bytes: int) -> DomainError:
    return BodyTooLarge(
        f"This body is larger than the {most_bytes} bytes that are accepted here.",
        extra={"limit_bytes": most_bytes},
    )


def _worded(scope: Scope, error: Exception, *, hang_up: bool) -> Refusal:
    where = {"path": scope["path"], "request_id": scope[REQUEST_ID]}
    if isinstance(error, OperationalError | InterfaceError):
        log.warning("database_unavailable", error=str(error), **where)
        error = database_away()
    if not isinstance(error, DomainError):
        log.error("unhandled_error", exc_info=error, **where)
        error = InternalError(
            f"Something went wrong on our side. Quote request {scope[REQUEST_ID]} to the operator."
        )
    refused = refusal(scope, error, hang_up=hang_up)
    REFUSALS.labels(code=error.code).inc()
    log.info("refused", code=error.code, status=refused.status, **where)
    return refused
