"""Looks up the owner of a credential. All but those that were valid recently are limited by client IP."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
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

    async def look_up(
        self,
        client_ip: str,
        find: Callable[[], F],
        is_nobodys: Callable[[F], bool],
        threads: DatabaseThreads | None = None,
    ) -> F:
        """Look up a credential. Raises TooManyTries."""
        self._tries.check(client_ip)
        return await (threads or self._threads).run(self._try, client_ip, find, is_nobodys)

    async def redeem(self, client_ip: str, find: Callable[[], F], is_nobodys: Callable[[F], bool]) -> F:
        """Redeem a ticket in the same way as `look_up`. Raises TooManyTries."""
        return await self.look_up(client_ip, find, is_nobodys, self._tickets)

    def close(self) -> None:
        self._threads.close()
        self._tickets.close()

    def _try(self, client_ip: str, find: Callable[[], F], is_nobodys: Callable[[F], bool]) -> F:
        """Look up a credential. The try is counted before its result, which limits concurrent tries too."""
        self._tries.take(client_ip)
        try:
            found = find()
        except Exception:
            self._tries.give_back(client_ip)
            raise
        if not is_nobodys(found):
            self._tries.give_back(client_ip)
        return found


@dataclass(eq=False)
class Familiar(Generic[F]):
    """The look-up of one kind of credential. Those that were valid recently do not wait for all the others."""

    threads: DatabaseThreads
    unknown_callers: UnknownCallers
    find: Callable[[str], F]
    _: KW_ONLY
    is_good: Callable[[F], bool]
    is_nobodys: Callable[[F], bool]
    _good: OrderedDict[bytes, None] = field(default_factory=OrderedDict, init=False)

    async def look_up(self, credential: str, client_ip: str) -> F:
        """Look up a credential. `client_ip` is the client IP that it came from. Raises TooManyTries."""
        digest = digest_of(credential)
        if digest in self._good:
            found = await self.threads.run(self.find, credential)
        else:
            find = partial(self.find, credential)
            found = await self.unknown_callers.look_up(client_ip, find, self.is_nobodys)
        self._keep(digest, self.is_good(found))
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
