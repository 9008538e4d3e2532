"""The format of an API key: `maas_live_<id>_<secret><checksum>`, or `maas_live_<cell>_<id>_…` where there are cells."""

import hashlib
import hmac
import re
import secrets
import zlib
from dataclasses import dataclass

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ID_LENGTH = 12
SECRET_LENGTH = 32
CHECKSUM_LENGTH = 6
START = r"maas_(?:live|test)_(?:[a-z][a-z0-9-]{0,15}_)?"
"""The pattern of what stands before the ID. The names of cells are those of `tenants.cells.reading`."""
_FORM = re.compile(r"maas_(live|test)_(?:([a-z][a-z0-9-]{0,15})_)?([0-9A-Za-z]{12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})")


@dataclass(frozen=True)
class KeyParts:
    public_id: str
    secret: str
    livemode: bool
    cell: str = ""
    """The home cell of the tenant. Empty in keys that were made without cells."""

    @property
    def prefix(self) -> str:
        """Return the part that may be shown. It distinguishes keys, but nobody can use a key with it."""
        home = f"{self.cell}_" if self.cell else ""
        return f"maas_{'live' if self.livemode else 'test'}_{home}{self.public_id}"

    @property
    def text(self) -> str:
        return f"{self.prefix}_{self.secret}{_checksum(self.prefix, self.secret)}"


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))


def _checksum(prefix: str, secret: str) -> str:
    return _base62(zlib.crc32(f"{prefix}_{secret}".encode()), CHECKSUM_LENGTH)


def new_key(*, livemode: bool, cell: str = "") -> KeyParts:
    def random(length: int) -> str:
        return "".join(secrets.choice(ALPHABET) for _ in range(length))

    return KeyParts(random(ID_LENGTH), random(SECRET_LENGTH), livemode, cell)


def parse_key(text: str) -> KeyParts | None:
    """Parse a key. Return None for anything that is not a key, so that a typo is refused before any look-up."""
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    mode, cell, public_id, secret, checksum = match.groups()
    parts = KeyParts(public_id, secret, mode == "live", cell or "")
    return parts if hmac.compare_digest(checksum, _checksum(parts.prefix, secret)) else None


def digest(secret: str, pepper: str) -> str:
    """Return the stored hash. The pepper is not in the database, so a stolen table gives no usable keys."""
    return hmac.new(pepper.encode(), secret.encode(), hashlib.sha256).hexdigest()
