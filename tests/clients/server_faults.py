"""Says which of a server's own errors are faults."""

import json
from collections.abc import Sequence

OUT_OF_TIME = {"deadline_exceeded", "model_timeout"}
"""The codes that a busy machine may answer with 504. Another check verifies that they are described at all."""
UNDER_LOAD = {
    "inference_unavailable",
    "metering_unavailable",
    "model_load_failed",
    "model_memory_busy",
    "model_unloaded",
    "overloaded",
    "reader_unavailable",
    "restarting",
}
"""The codes that a busy machine may answer with 503. An unavailable database is not among them, because the same code
is given for input that makes a query take too long.
"""


def fault(status: int, retry_after: Sequence[str], body: bytes) -> str | None:
    if status < 500:
        return None
    if status == 503:
        if not (len(retry_after) == 1 and retry_after[0].isdigit()):
            return f"a 503 that does not say when to come again (Retry-After: {retry_after})"
        return None if _code(body) in UNDER_LOAD else f"a 503 (code: {_code(body)})"
    if status == 504 and _code(body) in OUT_OF_TIME:
        return None
    return f"a {status} (code: {_code(body)})"


def _code(body: bytes) -> object:
    """Return the error code, which is one level deeper in OpenAI's format."""
    try:
        problem = json.loads(body)
    except ValueError:
        return None
    if not isinstance(problem, dict):
        return None
    inner = problem.get("error")
    return problem.get("code") or (inner.get("code") if isinstance(inner, dict) else None)
