"""Keep the last known state of a bucket, and project it by this process's own clock."""

from tenants.core.token_bucket import Bucket

US = 1_000_000


class KnownBucket:
    """A bucket that counts as full until its state is received."""

    def __init__(self) -> None:
        self._bucket = Bucket()
        self._full_at_s = 0.0

    def hear(self, full_in_us: int, now_s: float) -> None:
        self._keep(Bucket(_us(now_s) + full_in_us))

    def take(self, count: int, limit: int, now_s: float) -> None:
        self._keep(self._bucket.without(count, limit, _us(now_s)))

    def available(self, limit: int, now_s: float) -> int:
        if self._full_at_s <= now_s:
            return limit
        return self._bucket.available(limit, _us(now_s))

    def wait_s(self, limit: int, now_s: float) -> float:
        return self._bucket.wait_us(1, limit, _us(now_s)) / US

    def full_in_s(self, now_s: float) -> float:
        return max(0.0, self._full_at_s - now_s)

    def _keep(self, bucket: Bucket) -> None:
        self._bucket, self._full_at_s = bucket, bucket.full_at_us / US


def _us(now_s: float) -> int:
    return int(now_s * US)
