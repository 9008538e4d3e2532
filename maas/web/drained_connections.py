"""Closes each connection after its response while the process drains, before somebody sends on one that ends."""

from tenants.core.asgi.protocol import Message, Scope, Send


def closing(scope: Scope, send: Send) -> Send:
    """Return a `send` that tells an HTTP/1.1 caller to use another connection next. HTTP/2 has its own way."""
    if scope["type"] != "http" or scope["http_version"] != "1.1":
        return send

    async def send_and_close(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
        await send(message)

    return send_and_close
