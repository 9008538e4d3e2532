"""Wrap the whole application: name every request, identify the caller before a body is read, and write every refusal in
the form of the protocol.
"""

import asyncio
import time
from functools import lru_cache

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError

from inference.gateway.gateway import EMBEDDINGS, is_call, is_grpc, is_health, runs_model
from jobs.intake.intake import Intake
from jobs.intake.multipart import FormLimits, too_large
from jobs.intake.uploads import caller, form_limits, is_upload
from jobs.streaming.credentials import Sessions, session_key_of
from jobs.streaming.request_headers import is_stream
from jobs.uploads.protocol import VERSION
from jobs.uploads.resumable import brings_bytes, is_resumable
from maas.web.errors.api_errors import as_domain_error
from maas.web.guard.body import Allowance, BodyMalformed, BodyTooLarge, Deadlines, GuardedBody
from maas.web.guard.caching import with_caching
from maas.web.guard.journal import NOTE, Journal, Note
from maas.web.guard.keys import KeyRing
from maas.web.guard.metrics import REFUSALS, request_seconds
from maas.web.guard.query_keys import carries_key
from maas.web.guard.refusals import INTERNAL_ERROR, Refusal, is_api, refusal, refuse_request, refuse_socket
from maas.web.guard.request_ids import request_id
from maas.web.guard.request_kinds import kind_of, outcome_of
from tenants.api.authentication import IDENTITY
from tenants.api.operators import PATHS as OPERATOR_PATHS
from tenants.core.asgi.client_ip_limit import address_of_scope, place_of_scope
from tenants.core.asgi.protocol import (
    MEMBER,
    REQUEST_ID,
    App,
    ClientGone,
    Message,
    Receive,
    Scope,
    Send,
    bearer,
    has_body,
    header,
)
from tenants.core.asgi.stopping import Stop
from tenants.core.errors import DomainError, KeyEnded, NotSignedIn
from tenants.identity.identity import Identity
from tenants.limits.rates.admission import ADMISSION, Admission
from tenants.limits.rates.desk import Desk
from tenants.limits.rates.free_day import free_day
from tenants.request_log.caller import KeyOwner, describe_to_caller
from tenants.request_log.entries import without_keys

log = structlog.get_logger(__name__)
OPENED = 101
REFUSED_QUIETLY = 403
"""The status that a server gives to a handshake if the socket is closed before it was opened."""
TUS_HEADERS = ((b"tus-resumable", VERSION.encode()),)
"""The headers of every answer about uploads, whichever part of the product gives it."""
READING = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
PROVIDER_EVENTS = "/v1/payments/stripe/events"
"""The path for events of the payment provider. Its sender is authenticated by a signature over the body, which is
checked when the body is complete.
"""
PROVIDER_EVENT_BYTES = 256 << 10
ADMIN_MODEL_UPLOAD = "/admin/inference/servedmodel/add/"
"""The page on which operators upload models. Only they may send more than forms have."""
STRANGERS_FORM_BYTES = 64 << 10
"""The most bytes of a form from a client without a session cookie. Signing in takes far less, and this much fits into
memory.
"""


class KeyInQuery(DomainError):
    code = "key_in_query"


class InternalError(DomainError):
    code = "internal_error"


class EdgeGuard:
    def __init__(
        self,
        inner: App,
        keys: KeyRing,
        sessions: Sessions,
        stop: Stop,
        journal: Journal,
        *,
        desk: Desk,
        intake: Intake,
        deadlines: Deadlines | None = None,
    ) -> None:
        self._inner = inner
        self._journal = journal
        self._desk = desk
        self._intake = intake
        self._stop = stop
        self._keys = keys
        self._sessions = sessions
        self._deadlines = deadlines or Deadlines()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if NOTE not in scope:
            scope[REQUEST_ID] = request_id(header(scope, b"x-request-id"))
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif is_api(scope["path"]):
            note = scope.get(NOTE) or self._journal.open(scope)
            try:
                await self._request(scope, receive, send, note)
            finally:
                self._journal.close(note)
        else:
            await self._request(scope, receive, send)

    async def refuse(
        self, scope: Scope, error: Exception, send: Send, note: Note, admission: Admission, *, hang_up: bool
    ) -> None:
        """Answer a request that was served elsewhere and ended with this error."""
        answer = _Answer(send, scope, self._journal, note)
        answer.admission = admission
        await refuse_request(_worded(scope, error, hang_up=hang_up), answer)

    async def _request(self, scope: Scope, receive: Receive, send: Send, note: Note | None = None) -> None:
        answer = _Answer(send, scope, self._journal, note)
        body: GuardedBody | None = None
        try:
            await self._identify(scope)
            await self._admit(scope, answer)
            self._intake.check(scope)
            allowance = await self._allowance(scope)
            allowance.check_length(header(scope, b"content-length"))
            body = GuardedBody(scope, receive, allowance, self._stop)
            await self._inner(scope, body, answer)
        except ClientGone:
            if body is not None and body.is_malformed and not answer.started:
                await refuse_request(_worded(scope, BodyMalformed(), hang_up=True), answer)
                return
            log.info("client_disconnected", path=without_keys(scope["path"]), request_id=scope[REQUEST_ID])
        except Exception as error:
            if answer.started:
                raise
            unread = has_body(scope) and not (body is not None and body.complete)
            await refuse_request(_worded(scope, error, hang_up=unread or body is None), answer)
        finally:
            answer.end()

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _SocketAnswer(send, self._journal, self._journal.open(scope))
        try:
            await self._identify(scope)
            await self._admit_socket(scope)
            await self._inner(scope, receive, answer)
        except Exception as error:
            refused = _worded(scope, error, hang_up=True)
            if answer.opened:
                await send({"type": "websocket.close", "code": INTERNAL_ERROR})
            else:
                answer.refused(refused)
                await refuse_socket(scope, refused, send)
        finally:
            answer.end()

    async def _identify(self, scope: Scope) -> None:
        """Put the caller into the scope. Refuse wrong credentials, and bodies that come without any."""
        if carries_key(scope["query_string"]):
            raise KeyInQuery(
                "Never put a key in an address: send it as Authorization: Bearer <key>, and replace this one."
            )
        if not is_api(scope["path"]) or scope["path"] == PROVIDER_EVENTS or scope["path"].startswith(OPERATOR_PATHS):
            return
        key = bearer(scope)
        if key is not None:
            scope[IDENTITY] = await self._of_key(scope, key)
        elif scope["type"] == "http" and scope["method"] not in READING:
            scope[MEMBER] = identity = await self._signed_in(scope)
            describe_to_caller(scope, identity)

    async def _of_key(self, scope: Scope, key: str) -> Identity:
        """Return the identity of the key. If the key has been revoked or has expired, the request is still logged for
        its owner, who can see who uses it.
        """
        identity = self._keys.known(key)
        if identity is None:
            try:
                identity = await self._keys.identify(key, place_of_scope(scope, settings.MAAS_PROXIES))
            except KeyEnded as ended:
                describe_to_caller(scope, KeyOwner(ended.tenant_id, ended.key_id))
                raise
        describe_to_caller(scope, identity)
        if identity.networks:
            identity.require_place(address_of_scope(scope, settings.MAAS_PROXIES))
        return identity

    async def _signed_in(self, scope: Scope) -> Identity:
        member = await self._sessions.identify(scope)
        if member is None:
            raise NotSignedIn("Send your key as: Authorization: Bearer <key>.")
        return member

    async def _admit(self, scope: Scope, answer: "_Answer") -> None:
        """Count a request that has a key, before its body is read and however it ends.

        Raises RateLimited and AllowanceSpent.
        """
        identity = scope.get(IDENTITY)
        if not isinstance(identity, Identity) or is_health(scope["path"]):
            return
        is_run = runs_model(scope["path"])
        if ADMISSION in scope:
            answer.admission = scope[ADMISSION]  # The request has been counted before.
            return
        answer.admission = admission = Admission(self._desk, identity.rates, is_call=is_run)
        await admission.enter()
        if is_run:
            scope[ADMISSION] = admission
            if not identity.livemode:
                await asyncio.to_thread(free_day().spend, identity.tenant_id, "calls", 1)

    async def _admit_socket(self, scope: Scope) -> None:
        """Count a handshake as a request. A caller without a key is counted as soon as the session is identified."""
        identity = scope.get(IDENTITY)
        if isinstance(identity, Identity):
            await Admission(self._desk, identity.rates, is_call=False).enter()

    async def _allowance(self, scope: Scope) -> Allowance:
        if is_upload(scope):
            caller(scope)
            limits = form_limits(scope)
            return Allowance(
                limits.body_bytes,
                self._deadlines.idle_s,
                self._deadlines.upload_s,
                lambda: too_large(limits.file_bytes),
            )
        if brings_bytes(scope):
            return Allowance(
                settings.MAAS_MAX_RESUMABLE_BYTES,
                self._deadlines.idle_s,
                self._deadlines.upload_s,
                lambda: too_large(settings.MAAS_MAX_RESUMABLE_BYTES),
            )
        if is_operators_upload(scope) and await self._sessions.is_operator(scope):
            max_bytes = FormLimits(settings.MAAS_OWN_MODEL_MB * 1_000_000).body_bytes
            return usual_allowance(max_bytes, self._deadlines.idle_s, self._deadlines.upload_s)
        # The parts of a gRPC message are not passed on before it is complete.
        idle_s = self._deadlines.request_s if is_grpc(scope["path"]) else self._deadlines.idle_s
        return usual_allowance(_max_bytes(scope), idle_s, self._deadlines.request_s)


class _Answer:
    """A `send` that adds the headers of every answer, and notes whether the answer has begun."""

    def __init__(self, send: Send, scope: Scope, journal: Journal, note: Note | None) -> None:
        self._send = send
        self._journal = journal
        self._note = note
        self._path = scope["path"]
        self._is_resumable = is_resumable(scope)
        self._name = scope[REQUEST_ID].encode()
        self._kind = kind_of(scope)
        self._began_s = time.perf_counter() if note is None else note.started_s
        self.admission: Admission | None = None
        self.started = False

    async def __call__(self, message: Message) -> None:
        if self._note is not None:
            self._note.see(message)
        if message["type"] == "http.response.start":
            self.started = True
            self._measure(message["status"])
            if self._note is not None and is_stream(message["headers"]):
                self._journal.close(self._note)  # Like a socket's: it may stay open for hours.
            headers = with_caching(self._path, message["headers"])
            if self._is_resumable:
                headers += TUS_HEADERS
            if self.admission is not None:
                headers += self.admission.headers(for_openai=self._path == EMBEDDINGS)
            message = {**message, "headers": [*headers, (b"x-request-id", self._name)]}
        await self._send(message)

    def end(self) -> None:
        if not self.started:
            self._measure(None)
        if self.admission is not None:
            self.admission.end()

    def _measure(self, status: int | None) -> None:
        if self._kind is not None:
            spent_s = time.perf_counter() - self._began_s
            request_seconds(self._kind, outcome_of(status)).observe(spent_s)


class _SocketAnswer:
    """A `send` that logs a socket once: when it is opened, or else at its end, even if no reason was given."""

    def __init__(self, send: Send, journal: Journal, note: Note) -> None:
        self._send = send
        self._journal = journal
        self._note = note
        self.opened = False

    async def __call__(self, message: Message) -> None:
        match message["type"]:
            case "websocket.accept":
                self.opened = True
                self._note.status = OPENED
                self._journal.close(self._note)
            case "websocket.close" if not self.opened:
                self._note.status = REFUSED_QUIETLY
            case "websocket.http.response.start":
                self._note.status = message["status"]
        await self._send(message)

    def refused(self, refused: Refusal) -> None:
        self._note.status, self._note.problem = refused.status, refused.body

    def end(self) -> None:
        if not self.opened:
            self._journal.close(self._note)


def is_operators_upload(scope: Scope) -> bool:
    """Return whether the request brings the file of a model to the admin."""
    return bool(scope["method"] == "POST" and scope["path"] == ADMIN_MODEL_UPLOAD)


def _max_bytes(scope: Scope) -> int:
    if scope["path"] == PROVIDER_EVENTS:
        return PROVIDER_EVENT_BYTES
    if is_call(scope["path"]):
        return settings.MAAS_MAX_CALL_BYTES
    if is_api(scope["path"]) or session_key_of(scope) is not None:
        return settings.MAAS_MAX_INLINE_BYTES
    return min(STRANGERS_FORM_BYTES, settings.MAAS_MAX_INLINE_BYTES)


@lru_cache(16)
def usual_allowance(max_bytes: int, idle_s: float, total_s: float) -> Allowance:
    return Allowance(max_bytes, idle_s, total_s, lambda: _body_too_large(max_bytes))


def _body_too_large(max_bytes: int) -> DomainError:
    return BodyTooLarge(
        f"This body is larger than the {max_bytes} bytes that are accepted here.",
        extra={"limit_bytes": max_bytes},
    )


def _worded(scope: Scope, error: Exception, *, hang_up: bool) -> Refusal:
    where = {"path": scope["path"], "request_id": scope[REQUEST_ID]}
    known = as_domain_error(error)
    if known is not None and isinstance(error, DatabaseError | InterfaceError):
        log.warning("database_unavailable", error=str(error), **where)
    error = known or error
    if not isinstance(error, DomainError):
        log.error("unhandled_error", exc_info=error, **where)
        error = InternalError(f"Something went wrong on our side. Quote request {scope[REQUEST_ID]} to the operator.")
    refused = refusal(scope, error, hang_up=hang_up)
    REFUSALS.labels(code=error.code).inc()
    log.info("request_refused", code=error.code, status=refused.status, **where)
    return refused
