"""Finds out whose a key is, in threads of its own and with an answer that is never older than a moment."""

import hashlib

from jobs.live.remembered import Remembered
from jobs.live.threads import DatabaseThreads
from tenants.errors import DomainError
from tenants.identity import Identity
from tenants.keys import parse_key
from tenants.selectors import identify_key

LIFETIME_S = 0.8
"""A revoked key dies everywhere within a second; what is left of it is for the request under way."""
CAPACITY = 10_000


class KeyRing:
    def __init__(self, threads: DatabaseThreads) -> None:
        self._threads = threads
        self._known: Remembered[bytes, Identity | DomainError] = Remembered(
            lifetime_s=LIFETIME_S, capacity=CAPACITY
        )

    async def identify(self, text: str) -> Identity:
        """Raises what is wrong with the key."""
        if parse_key(text) is None:
            return identify_key(text)  # Refuses a text of the wrong form itself, before any query.
        # Remembered by digest, so that no list of keys lies in memory.
        digest = hashlib.sha256(text.encode("latin-1", "replace")).digest()
        found = await self._known.get(digest, lambda: self._look_up(text))
        if isinstance(found, DomainError):
            # Not the remembered error itself: each raise would lengthen its traceback.
            raise type(found)(found.detail, code=found.code, extra=found.extra)
        return found

    async def _look_up(self, text: str) -> Identity | DomainError:
        return await self._threads.run(_identity_or_reason, text)


def _identity_or_reason(text: str) -> Identity | DomainError:
    try:
        return identify_key(text)
    except DomainError as error:
        return error
