"""An incoming request: it reads the body within limits, and makes the call that ends when its caller disconnects."""

from collections.abc import AsyncIterator

from inference.gateway.listening import ListenedCall
from maas.web.guard.body import Allowance, BodyMalformed, GuardedBody
from tenants.core.asgi.protocol import ClientGone, Receive, Scope, body_chunks, has_body, header
from tenants.core.asgi.stopping import Stop


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
