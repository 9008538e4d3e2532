"""The state of an event stream over a socket that may break: what to send, what arrives, and where to resume."""

import json
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from maas_client.errors import AuthenticationError, ConnectionFailed, InvalidRequest, NotFound
from maas_client.resources import ENDS, Event
from maas_client.retries import backoff_s

SIGNED_OUT = 4401
CUTS = (ConnectionClosed, InvalidHandshake, OSError)
"""The exceptions of a socket after which it can be opened again."""
_JOB_ENDS = frozenset(f"job.{state}" for state in ENDS)
_CAUGHT_BY_RECONNECTING = frozenset({"database_unavailable", "internal_error", "overloaded", "restarting"})


class Tail:
    """The events of a job up to its end, or all events of the account, without gaps and without repeats."""

    def __init__(self, job: str | None, after: str | int | None, max_cuts: int) -> None:
        self.job = job
        self.over = False
        self._place: str | int | None = after if job is None else (after or 0)
        self._max_cuts = max_cuts
        self._cuts = 0
        self._listening = False

    def passed(self, last_seq: int) -> bool:
        """Return whether no more events can come of a job that has ended with this event."""
        return isinstance(self._place, int) and self._place >= last_seq

    def opening(self) -> str | None:
        """Return the message to send to a new socket. Messages that arrive before the reply to it are ignored."""
        if self._place is None:
            return None
        return json.dumps({"subscribe": self.job or "all", "after": self._place})

    def take(self, message: str | bytes) -> Event | None:
        said: dict[str, Any] = json.loads(message)
        match said["type"]:
            case "ready" if self._place is None:
                self._place, self._listening = said["cursor"], True
            case "subscribed":
                self._listening = True
            case "error" if said["code"] not in _CAUGHT_BY_RECONNECTING:
                raise _refusal(said["code"], said["detail"])
            case "event" if self._listening:
                return self._event(said)
        return None

    def _event(self, said: dict[str, Any]) -> Event | None:
        event = Event.from_json(said["event"], said["cursor"])
        if self._place is not None and not _later(event.cursor, self._place):
            return None
        self._place, self._cuts = event.cursor, 0
        self.over = self.job is not None and event.type in _JOB_ENDS
        return event

    def cut(self, error: Exception, jitter: float) -> float:
        """Record that the socket broke, and return the seconds to wait before another is opened."""
        if isinstance(error, ConnectionClosed) and error.rcvd and error.rcvd.code == SIGNED_OUT:
            raise AuthenticationError("The key is no longer valid.", code="not_authenticated", status=401)
        if self._cuts >= self._max_cuts:
            raise ConnectionFailed(f"The event stream broke off and could not be resumed: {error}")
        self._cuts += 1
        self._listening = False
        return backoff_s(self._cuts - 1, jitter)


def _later(cursor: str | int, place: str | int) -> bool:
    return _order(cursor) > _order(place)


def _order(cursor: str | int) -> tuple[int, ...]:
    return tuple(int(part) for part in str(cursor).split("-"))


def _refusal(code: str, detail: str) -> Exception:
    if code == "not_found":
        return NotFound(detail, code=code, status=404)
    if code == "not_authenticated":
        return AuthenticationError(detail, code=code, status=401)
    return InvalidRequest(detail, code=code)
