"""Find the owner of a key. The answer is cached until it changes."""

from collections.abc import Sequence

from tenants.api_keys.format import parse_key
from tenants.authentication.selectors import identify_key
from tenants.core.asgi.credentials import Familiar, UnknownCallers, digest_of
from tenants.core.asgi.remembered import Remembered
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.changes.feed import ChangeFeed
from tenants.core.changes.log import Change
from tenants.core.errors import DomainError, InvalidKey, KeyEnded
from tenants.identity.identity import Identity

LIFETIME_S = 0.8
"""The lifetime of an answer while changes cannot be read, and of every refusal. A revoked key stops working everywhere
within a second. The rest of the second is for the request in progress.
"""
CAPACITY = 20_000
Found = Identity | DomainError


class KeyRing:
    def __init__(
        self, threads: DatabaseThreads, unknown_callers: UnknownCallers, feed: ChangeFeed | None = None
    ) -> None:
        self._familiar: Familiar[Found] = Familiar(
            threads, unknown_callers, _identity_or_reason, is_good=_is_good, is_nobodys=_is_nobodys
        )
        self._known: Remembered[bytes, Found] = Remembered(
            lifetime_s=LIFETIME_S, capacity=CAPACITY, feed=feed, lasts_s=_lasts_s
        )
        if feed is not None:
            feed.listen(self._forget)

    def _forget(self, changes: Sequence[Change]) -> None:
        """Forget the keys of the tenants that changed. A plan has many tenants, so it stands for all of them."""
        tenants = {change.ref for change in changes if change.kind == "tenant"}
        every = any(change.kind == "plan" for change in changes)
        if tenants or every:
            self._known.forget_where(
                lambda _, found: every or not isinstance(found, Identity) or str(found.tenant_id) in tenants
            )

    def known(self, text: str) -> Identity | None:
        """Return the key's identity from the cache, or None if it is not cached."""
        found = self._known.peek(digest_of(text))
        return found if isinstance(found, Identity) else None

    async def identify(self, text: str, place: str = "") -> Identity:
        """Return the key's identity, or raise what is wrong with the key. `place` is the client IP that sent it."""
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


def _lasts_s(found: Found) -> float:
    return found.lasts_s if isinstance(found, Identity) else 0.0


def _is_good(found: Found) -> bool:
    return isinstance(found, Identity)


def _is_nobodys(found: Found) -> bool:
    return isinstance(found, InvalidKey) and not isinstance(found, KeyEnded)
