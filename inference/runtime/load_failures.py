"""Loads that failed a moment ago. A new request for the file fails at once, and the file is tried again later."""

from dataclasses import dataclass
from pathlib import Path

from inference.core.errors import ModelFailed

FIRST_S = 1.0
LONGEST_S = 30.0

Identity = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class _Failure:
    error: ModelFailed
    identity: Identity
    delay_s: float
    again_at_s: float


class LoadFailures:
    """The failed loads of a host. It is not safe to share between threads by itself; the host's lock guards it."""

    def __init__(self) -> None:
        self._failures: dict[str, _Failure] = {}

    def refuse(self, path: str, now_s: float) -> None:
        """Raise the error of the failed load, for a while and as long as the file is the same."""
        failure = self._failures.get(path)
        if failure is None or now_s >= failure.again_at_s:
            return
        if identity_of(path) != failure.identity:
            del self._failures[path]
            return
        raise fresh(failure.error)

    def note(self, path: str, error: ModelFailed, now_s: float) -> None:
        before = self._failures.get(path)
        delay_s = FIRST_S if before is None else min(LONGEST_S, 2 * before.delay_s)
        self._failures[path] = _Failure(error, identity_of(path), delay_s, now_s + delay_s)

    def forget(self, path: str) -> None:
        self._failures.pop(path, None)


def identity_of(path: str) -> Identity:
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns


def fresh(error: ModelFailed) -> ModelFailed:
    """Return a separate error for each caller. An error that many threads raise would collect the traceback of each."""
    own = ModelFailed(error.code, error.detail, retryable=error.retryable)
    own.__cause__ = error.__cause__
    return own
