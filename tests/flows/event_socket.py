"""A program that listens on the websocket."""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from websockets.sync.client import connect
from websockets.typing import Origin

Json = dict[str, Any]
TIMEOUT_S = 60.0


class EventSocket:
    """A websocket that is opened with the given headers. The constructor raises what the handshake raises."""

    def __init__(
        self,
        url: str,
        *,
        query: str = "",
        headers: Mapping[str, str] | None = None,
        origin: str | None = None,
    ) -> None:
        address = url.replace("http://", "ws://", 1) + "/ws/v1/events" + query
        self._closing = ExitStack()
        self._socket = self._closing.enter_context(
            connect(address, additional_headers=headers, origin=Origin(origin) if origin else None, proxy=None)
        )

    @classmethod
    def with_key(cls, url: str, key: str) -> "EventSocket":
        return cls(url, headers={"Authorization": f"Bearer {key}"})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    def receive(self, timeout_s: float = TIMEOUT_S) -> Json:
        return dict(json.loads(self._socket.recv(timeout=timeout_s)))

    def send(self, **message: object) -> None:
        self._socket.send(json.dumps(message))

    def events_until(self, last: Callable[[Json], bool]) -> list[Json]:
        """Return the events that arrive, up to the first for which `last` is true."""
        deadline = time.monotonic() + TIMEOUT_S
        seen: list[Json] = []
        while not (seen and last(seen[-1])):
            message = self.receive(deadline - time.monotonic())
            assert message["type"] == "event", message
            seen.append(message["event"])
        return seen


def ends(job_id: str) -> Callable[[Json], bool]:
    """Return a test for whether an event is the end of this job."""
    endings = {"job.succeeded", "job.partially_succeeded", "job.failed", "job.canceled"}
    return lambda event: event["job"] == job_id and event["type"] in endings
