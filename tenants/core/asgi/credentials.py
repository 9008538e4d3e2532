"""Looks up the owner of a credential. All but those that were valid recently are limited by client IP."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from tenants.core.asgi.client_ip_limit import ClientIpLimit
from tenants.core.asgi.threads import DatabaseThreads

F = TypeVar("F")
MAX_A_MINUTE = 300
"""The most wrong tries of a client IP in a minute, far more than people mistype. Each is an indexed look-up."""
MAX_WAITING = 4_096
"""The most look-ups that wait: far more than one client IP may try, so that its flood delays nobody else."""
MAX_GOOD = 50_000
_SAID = "Too many unknown keys or sessions came from your address. Check yours, and send this again in {pause_s} s."


class UnknownCallers:
    """The look-up of unknown credentials, however many there are."""

    def __init__(self, tries: ClientIpLimit | None = None) -> None:
        self._threads = DatabaseThreads("unknown callers", 2, waiting=MAX_WAITING)
        self._tickets = DatabaseThreads("tickets", 1, waiting=MAX_WAITING)
        """The thread for look-ups in Redis. While Redis does not respond, keys and sessions are still looked up."""
        self._tries = ClientIpLimit(MAX_A_MINUTE, _SAID) if tries is None else tries

    async def look_up(self, place: str, find: Callable[[], F], is_nobodys: Callable[[F], bool]) -> F:
        """Look up a credential. Raises TooManyTries."""
        return await self._look_up(self._threads, place, find, is_nobodys)

    async def redeem(self, place: str, find: Callable[[], F], is_nobodys: Callable[[F], bool]) -> F:
        """Redeem a ticket in the same way as `look_up`. Raises TooManyTries."""
        return await self._look_up(self._tickets, place, find, is_nobodys)

    def close(self) -> None:
        self._threads.close()
        self._tickets.close()

    async def _look_up(
        self, threads: DatabaseThreads, place: str, find: Callable[[], F], is_nobodys: Callable[[F], bool]
    ) -> F:
        self._tries.check(place)
        return await threads.run(self._try, place, find, is_nobodys)

    def _try(self, place: str, find: Callable[[], F], is_nobodys: Callable[[F], bool]) -> F:
        """Look up a credential. The try is counted before its result, which limits concurrent tries too."""
        self._tries.take(place)
        try:
            found = find()
        except Exception:
            self._tries.give_back(place)
            raise
        if not is_nobodys(found):
            self._tries.give_back(place)
        return found


class Familiar(Generic[F]):
    """The look-up of one kind of credential. Those that were valid recently do not wait for all the others."""

    def __init__(
        self,
        threads: DatabaseThreads,
        unknown_callers: UnknownCallers,
        find: Callable[[str], F],
        *,
        is_good: Callable[[F], bool],
        is_nobodys: Callable[[F], bool],
    ) -> None:
        self._threads = threads
        self._unknown_callers = unknown_callers
        self._find = find
        self._is_good = is_good
        self._is_nobodys = is_nobodys
        self._good: OrderedDict[bytes, None] = OrderedDict()

    async def look_up(self, credential: str, place: str) -> F:
        """Look up a credential. `place` is the client IP that it came from. Raises TooManyTries."""
        digest = digest_of(credential)
        if digest in self._good:
            found = await self._threads.run(self._find, credential)
        else:
            find = partial(self._find, credential)
            found = await self._unknown_callers.look_up(place, find, self._is_nobodys)
        self._keep(digest, self._is_good(found))
        return found

    def _keep(self, digest: bytes, good: bool) -> None:
        self._good.pop(digest, None)
        if good:
            self._good[digest] = None
        while len(self._good) > MAX_GOOD:
            self._good.popitem(last=False)


def digest_of(credential: str) -> bytes:
    """Return the digest to remember, so that memory holds no list of credentials."""
    return hashlib.sha256(credential.encode("latin-1", "replace")).digest()
