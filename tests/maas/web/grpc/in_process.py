"""The port in the test's own loop, in front of an application that only answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc.aio

from inference.gateway.gateway import GRPC_PREFIX
from jobs.streaming.authorizer import Authorizer
from jobs.streaming.credential_checks import CredentialChecks
from jobs.streaming.credentials import Sessions
from maas.local.supervisor.ports import free_port
from maas.web.grpc.port import GrpcPort
from maas.web.guard.refusals import refusal, refuse_request
from tenants.api.authentication import IDENTITY
from tenants.core.asgi.credentials import UnknownCallers
from tenants.core.asgi.protocol import REQUEST_ID, Receive, Scope, Send, bearer, body_chunks, has_body
from tenants.core.asgi.stopping import Stop
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import DomainError
from tenants.identity.identity import Identity
from tests.waiting import eventually

TIMEOUT_S = 60


class Answering:
    """An application that knows every caller by its key, and answers a message with as many bytes as the message says.

    It words refusals as the guard does.
    """

    def __init__(self, **identities: Identity) -> None:
        self.identities = identities
        self.inside = 0
        self.entered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[IDENTITY] = self.identities[bearer(scope) or ""]
        self.inside += 1
        self.entered += 1
        try:
            said = b"".join([chunk async for chunk in body_chunks(receive)]) if has_body(scope) else b""
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": bytes(int(said or b"0"))})
        except DomainError as error:
            await refuse_request(refusal({**scope, REQUEST_ID: "one"}, error, hang_up=False), send)
        finally:
            self.inside -= 1


class Caller:
    def __init__(self, channel: grpc.aio.Channel, key: str) -> None:
        self._channel = channel
        self._metadata = (("authorization", f"Bearer {key}"),)

    async def ask(self, message: bytes) -> bytes:
        infer = self._channel.unary_unary(f"{GRPC_PREFIX}ModelInfer")
        answer: bytes = await infer(message, metadata=self._metadata, timeout=TIMEOUT_S)
        return answer

    def silent_call(self) -> grpc.aio.StreamUnaryCall:
        return self._channel.stream_unary(f"{GRPC_PREFIX}ModelInfer")(metadata=self._metadata)

    def stream(self) -> grpc.aio.StreamStreamCall:
        opened = self._channel.stream_stream(f"{GRPC_PREFIX}ModelStreamInfer")
        return opened(metadata=self._metadata, timeout=TIMEOUT_S)


class Opened:
    def __init__(self, port: int, app: Answering) -> None:
        self._address = f"127.0.0.1:{port}"
        self.app = app

    @asynccontextmanager
    async def caller(self, key: str) -> AsyncIterator[Caller]:
        """Yield a caller on a connection of its own."""
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with grpc.aio.insecure_channel(self._address, options=options) as channel:
            yield Caller(channel, key)


@asynccontextmanager
async def opened_port(app: Answering, *, stream_idle_s: float = 300.0) -> AsyncIterator[Opened]:
    threads = DatabaseThreads("guests", 1)
    unknown_callers = UnknownCallers()
    credential_checks = CredentialChecks(Authorizer(threads, Sessions(threads, unknown_callers), unknown_callers))
    port = GrpcPort(app, Stop(), credential_checks, stream_idle_s=stream_idle_s)
    number = free_port()
    await port.start("127.0.0.1", number)
    try:
        yield Opened(number, app)
    finally:
        await port.stop()
        unknown_callers.close()
        threads.close()


async def until(app: Answering, inside: int) -> None:
    await asyncio.to_thread(eventually, lambda: app.inside == inside, f"{inside} calls inside", TIMEOUT_S)
