"""Build the commands that send an answer to the list that the request names. A large answer is stored under a separate
key.
"""

import math
from collections.abc import Sequence

import structlog

from inference.rpc.commands import Command
from inference.rpc.envelopes import ReplyEnvelope, read_reply, write_reply
from inference.rpc.errors import MessageMalformed
from inference.rpc.keys import claim_key
from inference.rpc.limits import LaneLimits
from inference.rpc.runs import Taken
from inference.rpc.scripts import REPLIES, REPLY

log = structlog.get_logger(__name__)

_NO_CLAIMS = ("", b"", "")
READ_WITHIN_S = 10.0
"""The time after the caller's deadline for which an answer remains readable, in case it is just being read."""


def reply_command(taken: Taken, payload: bytes, left_s: float, limits: LaneLimits) -> Command:
    """Return the command that sends the answer. It also deletes the request's large input, because only one input was
    read of equal requests that shared a run.
    """
    request_id = taken.request_id
    inline = len(payload) <= limits.inline_bytes
    message = write_reply(ReplyEnvelope(request_id, payload if inline else None))
    kept_ms = math.ceil((max(0.0, left_s) + READ_WITHIN_S) * 1000)
    answer_claim = "" if inline else claim_key(request_id, "answer")
    work_claim = claim_key(request_id, "work") if taken.payload is None else ""
    beside = b"" if inline else payload
    return Command(REPLY, (taken.replies,), (message, kept_ms, answer_claim, beside, work_claim))


def together(replies: Sequence[Command]) -> list[Command]:
    """Return the commands in fewer steps: small replies to the same list become one command."""
    small: dict[tuple[str, ...], list[Command]] = {}
    commands = []
    for reply in replies:
        if reply.args[2:] == _NO_CLAIMS:
            small.setdefault(reply.keys, []).append(reply)
        else:
            commands.append(reply)
    for keys, alike in small.items():
        kept_ms = max(int(reply.args[1]) for reply in alike)
        messages = (reply.args[0] for reply in alike)
        commands.append(alike[0] if len(alike) == 1 else Command(REPLIES, keys, (kept_ms, *messages)))
    return commands


def reply_in(message: bytes) -> ReplyEnvelope | None:
    """Return the reply, or None for a nudge or a message that cannot be read."""
    try:
        return read_reply(message) if message else None
    except MessageMalformed as error:
        log.warning("rpc_message_dropped", error=str(error))
        return None


def nudge_command(key: str) -> Command:
    """Return the command that sends an empty message to the list, which ends a blocking wait on it."""
    return Command(REPLY, (key,), (b"", 5000, "", b"", ""))
