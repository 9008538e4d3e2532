"""Counts of all API requests by minute, for operators. Every web process writes them and the admin reads them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

COUNTED_FOR_S = 2 * 3600


def minute_key(epoch_minute: int) -> str:
    return f"requests:{epoch_minute}"


@dataclass(slots=True)
class MinuteCounts:
    """The counts of a minute, as in Redis: `count`, `ms_total`, `2xx` … `5xx`, `429` (in `4xx` too), `cache:HIT` …"""

    fields: dict[str, int] = field(default_factory=dict)

    def add(self, status: int, ms: float, known: str = "") -> None:
        """Count a request. `known` is the cache status, if the response names it."""
        fields = self.fields
        # A socket that was opened (101) counts as a success.
        group = f"{max(status // 100, 2)}xx"
        fields[group] = fields.get(group, 0) + 1
        fields["count"] = fields.get("count", 0) + 1
        fields["ms_total"] = fields.get("ms_total", 0) + round(ms)
        if status == 429:
            fields["429"] = fields.get("429", 0) + 1
        if known:
            name = f"cache:{known}"
            fields[name] = fields.get(name, 0) + 1


def counted(requests: Iterable[tuple[float, int, float, str]]) -> dict[int, MinuteCounts]:
    """Return the counts by epoch minute. A request is (seconds since 1970, status, milliseconds, cache status)."""
    minutes: dict[int, MinuteCounts] = {}
    for at_s, status, ms, known in requests:
        minute = int(at_s // 60)
        if minute not in minutes:
            minutes[minute] = MinuteCounts()
        minutes[minute].add(status, ms, known)
    return minutes
