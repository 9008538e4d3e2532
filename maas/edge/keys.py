"""Finds out whose a key is, in threads of its own and with an answer that is never older than a moment.

Keys that were good of late have threads of their own too: whoever sends others, however many, is looked up behind them.
"""

import hashlib
from collections import OrderedDict

from maas.edge.strangers import Strangers
from tenants.asgi.remembered import Remembered
from tenants.asgi.threads import DatabaseThreads
from tenants.errors import DomainError, InvalidKey, KeyEnded
from tenants.identity import Identity
from tenants.keys import parse_key
from tenants.selectors import identify_key

LIFETIME_S = 0.8
"""A revoked key dies everywhere within a second; what is left of it is for the request under way."""
CAPACITY = 10_000
MOST_GOOD = 50_000


class KeyRing:
    def __init__(self, threads: DatabaseThreads, for_strangers: DatabaseThreads) -> None:
        self._threads = threads
        self._for_strangers = for_strangers
        self._strangers = Strangers()
        self._known: Remembered[bytes, Identity | DomainError] = Remembered(
            lifetime_s=LIFETIME_S, capacity=CAPACITY
        )
        self._good: OrderedDict[bytes, None] = OrderedDict()

    async def identify(self, text: str, place: str = "") -> Identity:
        """Raises what is wrong with the key. `place` is where it came from."""
        # Remembered by digest, so that no list of keys lies in memory.
        digest = hashlib.sha256(text.encode("latin-1", "replace")).digest()
        found = self._known.peek(digest)
        if found is None:
            if parse_key(text) is None:
                return identify_key(text)  # Refuses a text of the wrong form itself, before any query.
            found = await self._known.get(digest, lambda: self._look_up(text, digest, place))
        if isinstance(found, DomainError):
            raise found.again()
        return found

    async def _look_up(self, text: str, digest: bytes, place: str) -> Identity | DomainError:
        if digest in self._good:
            found = await self._threads.run(_identity_or_reason, text)
        else:
            self._strangers.check(place)
            found = await self._for_strangers.run(_identity_or_reason, text)
        self._note(found, digest, place)
        return found

    def _note(self, found: Identity | DomainError, digest: bytes, place: str) -> None:
        if isinstance(found, Identity):
            self._good[digest] = None
            self._good.move_to_end(digest)
            while len(self._good) > MOST_GOOD:
                self._good.popitem(last=False)
            return
        self._good.pop(digest, None)
        if isinstance(found, InvalidKey) and not isinstance(found, KeyEnded):
            self._strangers.failed(place)


def _identity_or_reason(text: str) -> Identity | DomainError:
    try:
        return identify_key(text)
    except DomainError as error:
        return error
