"""Build the Redis commands of a request. All clients use them, synchronous or asynchronous."""

import json
import math
import os
import struct
from dataclasses import dataclass
from functools import cache
from typing import Any

from inference.core.contracts import WorkRefused
from inference.core.control import CHANNEL
from inference.rpc.envelopes import RequestEnvelope, write_request
from inference.rpc.errors import LaneOverloaded
from inference.rpc.keys import CANCEL_WORD, claim_key, entry_name, held_key, lane_key, replies_key
from inference.rpc.limits import LaneLimits
from inference.rpc.metrics import REQUESTS
from inference.rpc.scripts import CANCEL, CLAIM, LOOK, PUSH, Script
from inference.tiers.routes import version_of_queue

KEPT_LONGER_S = 60.0
"""The seconds by which the keys of a queue outlive its last request."""


Spoken = tuple[str | bytes | memoryview | float, ...]
"""A command as it is sent over the wire."""


@dataclass(frozen=True, slots=True)
class Command:
    script: Script
    keys: tuple[str, ...]
    args: Spoken

    def spoken(self) -> Spoken:
        return ("EVALSHA", self.script.sha, len(self.keys), *self.keys, *self.args)

    def spoken_whole(self) -> Spoken:
        """Return the command with the whole script, for a Redis that does not have the script yet."""
        return ("EVAL", self.script.text, len(self.keys), *self.keys, *self.args)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request on its way to a worker."""

    request_id: str
    model_key: str
    tenant: str
    own_replies: str
    """The list that receives only this request's answer, or an empty string if the list is shared. A refusal is sent
    there too.
    """
    message: bytes
    claim: bytes
    """The payload if it is too large for the message, otherwise empty."""
    cost: int
    limits: LaneLimits

    def push(self, remaining_s: float) -> Command:
        return Command(
            PUSH,
            (lane_key(self.model_key), self.own_replies),
            (
                self._name,
                max(1, math.ceil(remaining_s * 1000)),
                self.cost,
                len(self.message) + len(self.claim),
                self.message,
                self._claim_key,
                self.claim,
                _said(self.limits),
            ),
        )

    def cancel(self) -> Command:
        word = json.dumps({"word": CANCEL_WORD, "request": self.request_id})
        return Command(CANCEL, (lane_key(self.model_key),), (self._name, self._claim_key, CHANNEL, word))

    def look(self) -> Command:
        return Command(LOOK, (lane_key(self.model_key), held_key(self.request_id)), (self._name,))

    def check_pushed(self, answer: list[Any]) -> bool:
        """Return whether a worker serves the queue. Raises LaneOverloaded if the request was not queued."""
        limit, waiting, *rest = answer
        if limit:
            own, pace_ms = rest
            REQUESTS.labels(self.model_key, "overloaded").inc()
            raise self._overloaded(int(limit), int(waiting), int(own), pace_ms)
        return bool(rest[0])

    @property
    def _name(self) -> str:
        return entry_name(self.request_id, self.tenant)

    @property
    def _claim_key(self) -> str:
        return claim_key(self.request_id, "work") if self.claim else ""

    def _overloaded(self, limit: int, waiting: int, own: int, pace_ms: bytes) -> LaneOverloaded:
        key = version_of_queue(self.model_key)
        what = {
            1: f"{waiting} requests wait for '{key}', and at most {self.limits.waiting} may",
            2: f"{own} requests of yours wait for '{key}', and at most {self.limits.waiting_per_tenant} may",
            3: f"what waits for '{key}' would exceed {self.limits.waiting_bytes} bytes",
            4: f"your requests that wait for '{key}' would exceed {self.limits.waiting_bytes_per_tenant} bytes",
        }[limit]
        wait_s = waiting * float(pace_ms) / 1000 if pace_ms else None
        return LaneOverloaded(f"{what}; try again in a moment", waiting=waiting, wait_s=wait_s)


def outgoing(
    model_key: str,
    payload: bytes,
    *,
    cost: int,
    tenant: str,
    coalesce: str | None,
    replies: str = "",
    limits: LaneLimits,
) -> Outgoing:
    """Return the request for a serialized input. Its answer goes to the list `replies`, or to a list of its own if
    that is empty.
    """
    if len(payload) > limits.payload_bytes:
        raise WorkRefused("input_too_large", f"the input has {len(payload)} bytes; at most {limits.payload_bytes} fit")
    inline = len(payload) <= limits.inline_bytes
    request_id = os.urandom(16).hex()
    own_replies = "" if replies else replies_key(request_id)
    envelope = RequestEnvelope(replies or own_replies, coalesce or "", payload if inline else None)
    return Outgoing(
        request_id=request_id,
        model_key=model_key,
        tenant=tenant,
        own_replies=own_replies,
        message=write_request(envelope),
        claim=b"" if inline else payload,
        cost=cost,
        limits=limits,
    )


def read_claim(request_id: str, what: str, max_bytes: int) -> Command:
    return Command(CLAIM, (claim_key(request_id, what),), (max_bytes,))


def kept_ms(limits: LaneLimits) -> int:
    return math.ceil((limits.longest_s + KEPT_LONGER_S) * 1000)


@cache
def _said(limits: LaneLimits) -> bytes:
    return struct.pack(
        "<5d",
        limits.waiting,
        limits.waiting_per_tenant,
        limits.waiting_bytes,
        limits.waiting_bytes_per_tenant,
        kept_ms(limits),
    )
