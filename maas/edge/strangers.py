"""Bounds how often one place may have the database look for keys and sessions that are nobody's."""

import time
from collections import OrderedDict
from collections.abc import Callable

from tenants.asgi.protocol import Scope, header
from tenants.errors import DomainError
from tenants.pages.sign_in.addresses import client_address, place_of
from tenants.rates.bucket import Bucket

MOST_A_MINUTE = 300
"""Far more than people mistype; each is a look-up by an index."""
MOST_PLACES = 10_000
US = 1_000_000


class TooManyTries(DomainError):
    code = "rate_limited"


class Strangers:
    """In this process: nobody else is asked, and what was counted longest ago is forgotten first."""

    def __init__(
        self, *, most_a_minute: int = MOST_A_MINUTE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most_a_minute
        self._clock = clock
        self._tries: OrderedDict[str, Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._tries)

    def check(self, place: str) -> None:
        """Raises TooManyTries."""
        bucket, now_us = self._tries.get(place, Bucket()), int(self._clock() * US)
        if bucket.available(self._most, now_us) < 1:
            pause_s = -(-bucket.wait_us(1, self._most, now_us) // US)
            raise TooManyTries(
                f"Too many unknown keys came from your address. Check yours, and send this again in {pause_s} s.",
                extra={"retry_after_s": pause_s},
            )

    def failed(self, place: str) -> None:
        now_us = int(self._clock() * US)
        self._tries[place] = self._tries.get(place, Bucket()).without_at_most(1, self._most, now_us)
        self._tries.move_to_end(place)
        while len(self._tries) > MOST_PLACES:
            self._tries.popitem(last=False)


def place_of_scope(scope: Scope, proxies: int) -> str:
    peer = scope.get("client")
    told = {
        "REMOTE_ADDR": peer[0] if peer else "",
        "HTTP_X_FORWARDED_FOR": header(scope, b"x-forwarded-for") or "",
    }
    return place_of(client_address(told, proxies))
