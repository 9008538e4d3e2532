"""The signatures by which cells know that a message came from another cell. Pure.

Every signature is for one purpose, so that what was signed for one use is worth nothing for another.
"""

from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tenants.cells.cells import Cell

KEY_BYTES = 32


def public_key_of(secret: bytes) -> bytes:
    return _private(secret).public_key().public_bytes_raw()


def new_secret() -> bytes:
    return Ed25519PrivateKey.generate().private_bytes_raw()


def sign(secret: bytes, purpose: str, message: bytes) -> bytes:
    return _private(secret).sign(_whole(purpose, message))


def is_signed(cell: Cell, purpose: str, message: bytes, signature: bytes) -> bool:
    """Return whether the signature is that of the cell, made with one of its keys for this purpose."""
    return any(_verifies(key, _whole(purpose, message), signature) for key in cell.public_keys)


def _whole(purpose: str, message: bytes) -> bytes:
    return b"maas-cells\n" + purpose.encode() + b"\n" + message


def _verifies(key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        _public(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


@lru_cache(maxsize=4)
def _private(secret: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(secret)


@lru_cache(maxsize=256)
def _public(key: bytes) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(key)
