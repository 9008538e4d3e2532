"""Counts of all API requests by minute, for operators. Every web process writes them and the admin reads them."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

COUNTED_FOR_S = 2 * 3600


def minute_key(epoch_minute: int) -> str:
    return f"requests:{epoch_minute}"


@dataclass(slots=True)
class MinuteCounts:
    """The counts of a minute, as in Redis: `count`, `ms_total`, `2xx` … `5xx`, `429` (in `4xx` too), `cache:HIT` …"""

    fields: Counter[str] = field(default_factory=Counter)

    def add(self, status: int, ms: float, cache_status: str = "") -> None:
        """Count a request. `cache_status` is the cache status, if the response names it."""
        fields = self.fields
        # A socket that was opened (101) counts as a success.
        fields[f"{max(status // 100, 2)}xx"] += 1
        fields["count"] += 1
        fields["ms_total"] += round(ms)
        if status == 429:
            fields["429"] += 1
        if cache_status:
            fields[f"cache:{cache_status}"] += 1


def counted(requests: Iterable[tuple[float, int, float, str]]) -> dict[int, MinuteCounts]:
    """Return the counts by epoch minute. A request is (seconds since 1970, status, milliseconds, cache status)."""
    minutes: dict[int, MinuteCounts] = defaultdict(MinuteCounts)
    for at_s, status, ms, cache_status in requests:
        minutes[int(at_s // 60)].add(status, ms, cache_status)
    return minutes
