"""Authorizes calls: by key if one is set, else programs on this machine, but no page in a browser on it."""

import hashlib
import hmac
from urllib.parse import SplitResult, urlsplit

from maas.edge_mode.errors import KeyMissing, KeyWrong, OriginNotAllowed
from maas.edge_mode.options import is_loopback
from tenants.core.asgi.protocol import Scope, bearer, header
from tenants.core.errors import InvalidRequest


class Authorizer:
    def __init__(self, key: str, host: str) -> None:
        self._digest = _digest(key) if key else None
        self._host = host

    def admit(self, scope: Scope) -> None:
        if self._digest is not None:
            self._check_key(bearer(scope), self._digest)
        else:
            self._check_no_browser_is_used(scope)

    def _check_key(self, given: str | None, wanted: bytes) -> None:
        if not given:
            raise KeyMissing("Send the key as: Authorization: Bearer <key>. It is the server's MAAS_EDGE_KEY.")
        # Digests are compared, so that neither time nor length reveals anything about the key.
        if not hmac.compare_digest(_digest(given), wanted):
            raise KeyWrong("The key is not this server's MAAS_EDGE_KEY.")

    def _check_no_browser_is_used(self, scope: Scope) -> None:
        """Refuse pages in a browser. Without a key, any page could call here under a host name that resolves to it."""
        host = header(scope, b"host")
        host_name = _address(f"//{host or ''}").hostname or ""
        if not is_loopback(host_name) and host_name != self._host:
            raise OriginNotAllowed(
                f"This server has no key and answers only to its own address, not to {host_name[:60]!r}. "
                "Set MAAS_EDGE_KEY."
            )
        origin = header(scope, b"origin")
        if origin is not None and _address(origin).netloc != host:
            raise OriginNotAllowed(
                f"This server has no key and does not answer the pages of {origin[:60]!r}. Set MAAS_EDGE_KEY."
            )


def _address(given: str) -> SplitResult:
    try:
        return urlsplit(given)
    except ValueError as error:
        raise InvalidRequest(f"{given[:60]!r}, of the Host or Origin header, is no address.") from error


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
