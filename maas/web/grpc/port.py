"""Listens for gRPC beside the HTTP server and in its loop, and stops with it."""

import asyncio
from typing import Any

import grpc
import grpc.aio
import structlog
from django.conf import settings

from inference.gateway.gateway import GRPC_PREFIX
from jobs.streaming.credential_checks import CredentialChecks
from maas.process.errors import PortTaken, require_own_port
from maas.web.grpc.calls import handler_of
from maas.web.grpc.message_flow import ReadSlots
from maas.web.grpc.streams import IDLE_S, Streams
from tenants.core.asgi.protocol import App
from tenants.core.asgi.stopping import Stop

log = structlog.get_logger(__name__)
SERVICE = GRPC_PREFIX.strip("/")
WITH_MESSAGE = (
    "ServerMetadata",
    "ModelReady",
    "ModelMetadata",
    "ModelConfig",
    "ModelStatistics",
    "RepositoryIndex",
    "ModelInfer",
)
WITHOUT_MESSAGE = ("ServerLive", "ServerReady")
"""Methods whose message is empty, and which are open to every caller."""
NOT_HERE = (
    "RepositoryModelLoad",
    "RepositoryModelUnload",
    "SystemSharedMemoryStatus",
    "SystemSharedMemoryRegister",
    "SystemSharedMemoryUnregister",
    "CudaSharedMemoryStatus",
    "CudaSharedMemoryRegister",
    "CudaSharedMemoryUnregister",
    "TraceSetting",
    "LogSettings",
)
"""Methods of the protocol's extensions, refused with a helpful message instead of the library's "no such method"."""
MAX_CALLS = 4096
GRACE_S = 1.5
"""Seconds for responses in progress, after everything that waits was told to end."""
OPTIONS = (
    # Web processes share the port. `up` has checked before that no other program holds it.
    ("grpc.so_reuseport", 1),
    ("grpc.max_concurrent_streams", 1024),
    # A caller that vanished silently is noticed, and a keepalive ping of a caller is acknowledged.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.server_handshake_timeout_ms", 15_000),
    ("grpc.max_connection_idle_ms", 600_000),
)


class GrpcPort:
    def __init__(
        self, app: App, stop: Stop, credential_checks: CredentialChecks, *, stream_idle_s: float = IDLE_S
    ) -> None:
        self._app = app
        self._stop = stop
        self._streams = Streams(app, stop, credential_checks, idle_s=stream_idle_s)
        self._server: Any = None
        self._stopped: asyncio.Future[None] | None = None

    async def start(self, host: str, port: int) -> None:
        require_own_port(port=settings.MAAS_PORT, grpc_port=port)
        max_bytes = ("grpc.max_receive_message_length", settings.MAAS_MAX_CALL_BYTES)
        self._server = grpc.aio.server(options=(*OPTIONS, max_bytes), maximum_concurrent_rpcs=MAX_CALLS)
        handlers = grpc.method_handlers_generic_handler(SERVICE, self._handlers())
        self._server.add_generic_rpc_handlers((handlers,))
        self._bind(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        await self._server.start()
        log.info("grpc_ready", port=port)

    def _bind(self, address: str) -> None:
        try:
            self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise PortTaken(
                f"MAAS_GRPC_PORT cannot be used: {address} is taken, or not of this machine. Stop who has it, or "
                "choose another port"
            ) from error

    def begin_to_stop(self, finish_s: float = 0.0) -> None:
        """Refuse new calls, and give those in progress that many seconds. Call it in the running loop."""
        if self._server is not None and self._stopped is None:
            self._stopped = asyncio.ensure_future(self._server.stop(finish_s + GRACE_S))

    async def stop(self) -> None:
        self.begin_to_stop()
        if self._stopped is not None:
            await self._stopped

    def _handlers(self) -> dict[str, Any]:
        """Return all methods as streams. A message is then read only on request, not before its caller is known."""
        seats = ReadSlots()
        plain = dict.fromkeys(WITH_MESSAGE, True) | dict.fromkeys((*WITHOUT_MESSAGE, *NOT_HERE), False)
        calls = {
            name: handler_of(f"{GRPC_PREFIX}{name}", self._app, seats, has_message=has_message)
            for name, has_message in plain.items()
        }

        async def stream(messages: Any, context: Any) -> None:
            await self._streams(messages, context)

        return {
            name: grpc.stream_stream_rpc_method_handler(handle)
            for name, handle in {**calls, "ModelStreamInfer": stream}.items()
        }
