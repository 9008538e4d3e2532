"""Define the reply that a handler of the gateway returns."""

import json
from dataclasses import dataclass, field

from inference.core.contracts import Json
from tenants.core.asgi.protocol import Send

Header = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Reply:
    body: bytes = b""
    content_type: str = "application/json"
    status: int = 200
    headers: tuple[Header, ...] = field(default=())

    async def give(self, send: Send) -> None:
        headers = [
            (b"content-type", self.content_type.encode()),
            (b"content-length", b"%d" % len(self.body)),
            (b"x-content-type-options", b"nosniff"),
            *self.headers,
        ]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


def json_reply(value: Json, *, status: int = 200, headers: tuple[Header, ...] = ()) -> Reply:
    """Return a reply with a JSON body. Raises ValueError for a number that JSON cannot express."""
    body = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    return Reply(body, status=status, headers=headers)
