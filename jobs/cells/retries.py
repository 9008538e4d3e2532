"""Decides when a file whose content was false is fetched again, so that it is not fetched every 30 seconds for ever."""

import math
from dataclasses import dataclass, field

FIRST_WAIT_S = 60.0
MAX_WAIT_S = 3600.0
MAX_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class _Failure:
    times: int
    retry_at_s: float
    reason: str


@dataclass(slots=True)
class FalseFiles:
    """The files whose content was false, by digest. The wait doubles with each time, up to an hour."""

    _known: dict[str, _Failure] = field(default_factory=dict)

    def refusal(self, sha256: str, now_s: float) -> str:
        """Return why the file is not fetched now, or an empty text."""
        failure = self._known.get(sha256)
        if failure is None or now_s >= failure.retry_at_s:
            return ""
        minutes = math.ceil((failure.retry_at_s - now_s) / 60)
        return f"{failure.reason} It is fetched again in {minutes} min."

    def add(self, sha256: str, reason: str, now_s: float) -> None:
        times = self._known[sha256].times + 1 if sha256 in self._known else 1
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        wait_s = min(FIRST_WAIT_S * 2 ** min(times - 1, 10), MAX_WAIT_S)
        self._known[sha256] = _Failure(times, now_s + wait_s, reason)

    def remove(self, sha256: str) -> None:
        self._known.pop(sha256, None)

    def clear(self) -> None:
        self._known.clear()
