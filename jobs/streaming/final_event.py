"""Writes the last block of an event stream: the final state of the job."""

import json
from collections.abc import Awaitable, Callable

from jobs.intake.inner_requests import Answer, job_in
from jobs.streaming.event_blocks import END, block, close_block

AFTER_THE_END_MS = 3_600_000
"""The reconnect time after the end, in milliseconds, so that a forgotten page seldom connects again."""
AGAIN_MS = 2_000


class FinalEvent:
    def __init__(self, look: Callable[[], Awaitable[Answer]]) -> None:
        self._look = look

    async def read(self) -> bytes:
        answer = await self._look()
        if job_in(answer) is not None:
            return block(name=END, data=answer.body, retry_ms=AFTER_THE_END_MS)
        code, detail = _problem_in(answer)
        return close_block(code, detail, retry_ms=AGAIN_MS)


def _problem_in(answer: Answer) -> tuple[str, str]:
    """Return the problem's code and detail. The last block may come again after the problem has passed."""
    try:
        problem = json.loads(answer.body)
        return str(problem["code"]), str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        return "internal_error", f"The job could not be read ({answer.status}). Connect again."
