"""Finds out whose a key is, with an answer that is never older than a moment."""

from tenants.api_keys.format import parse_key
from tenants.authentication.selectors import identify_key
from tenants.core.asgi.credentials import Familiar, Strangers, digest_of
from tenants.core.asgi.remembered import Remembered
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import DomainError, InvalidKey, KeyEnded
from tenants.identity.identity import Identity

LIFETIME_S = 0.8
"""A revoked key dies everywhere within a second; what is left of it is for the request under way."""
CAPACITY = 10_000
Found = Identity | DomainError


class KeyRing:
    def __init__(self, threads: DatabaseThreads, strangers: Strangers) -> None:
        self._familiar: Familiar[Found] = Familiar(
            threads, strangers, _identity_or_reason, is_good=_is_good, is_nobodys=_is_nobodys
        )
        self._known: Remembered[bytes, Found] = Remembered(lifetime_s=LIFETIME_S, capacity=CAPACITY)

    def known(self, text: str) -> Identity | None:
        """Whose key it was a moment ago; None where that is not known."""
        found = self._known.peek(digest_of(text))
        return found if isinstance(found, Identity) else None

    async def identify(self, text: str, place: str = "") -> Identity:
        """Raises what is wrong with the key. `place` is where it came from."""
        digest = digest_of(text)
        found = self._known.peek(digest)
        if found is None:
            if parse_key(text) is None:
                return identify_key(text)  # Refuses a text of the wrong form itself, before any query.
            found = await self._known.get(digest, lambda: self._familiar.look_up(text, place))
        if isinstance(found, DomainError):
            raise found.again()
        return found


def _identity_or_reason(text: str) -> Found:
    try:
        return identify_key(text)
    except DomainError as error:
        return error


def _is_good(found: Found) -> bool:
    return isinstance(found, Identity)


def _is_nobodys(found: Found) -> bool:
    return isinstance(found, InvalidKey) and not isinstance(found, KeyEnded)
