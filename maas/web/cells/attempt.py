"""Sends a request to another cell, and repeats what may be repeated. aiohttp alone also repeats PUT and DELETE."""

from types import SimpleNamespace
from typing import Any

import aiohttp
from aiohttp.client_middlewares import ClientHandlerType

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class ConnectionBroken(aiohttp.ClientError):
    """The error if the connection broke after the request was sent. aiohttp repeats nothing after this error."""


class Attempt:
    """The way of one request. If a kept connection was dead, a request that only reads is sent once more."""

    def __init__(self, *, only_reads: bool) -> None:
        self._only_reads = only_reads
        self.kept = False
        """Set if the connection was used before: then the other cell may have closed it before the request."""

    async def __call__(self, request: aiohttp.ClientRequest, send: ClientHandlerType) -> aiohttp.ClientResponse:
        try:
            try:
                return await send(request)
            except aiohttp.ClientConnectionError as error:
                if is_unsent(error) or not (self._only_reads and self.kept) or _has_begun(error):
                    raise
            return await send(request)
        except aiohttp.ClientConnectionError as error:
            if is_unsent(error):
                raise
            raise ConnectionBroken(str(error)) from error


def is_unsent(error: BaseException) -> bool:
    """Return whether the request did not reach the other cell, because no connection was made."""
    return isinstance(error, (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError))


def _has_begun(error: aiohttp.ClientConnectionError) -> bool:
    """Return whether the head of an answer arrived in part."""
    return isinstance(error, aiohttp.ServerDisconnectedError) and not isinstance(error.message, str)


def tracing() -> aiohttp.TraceConfig:
    """Return what marks an attempt on a kept connection."""
    config = aiohttp.TraceConfig()
    config.on_connection_reuseconn.append(_mark)
    return config


async def _mark(_session: aiohttp.ClientSession, context: SimpleNamespace, _params: Any) -> None:
    if isinstance(context.trace_request_ctx, Attempt):
        context.trace_request_ctx.kept = True
