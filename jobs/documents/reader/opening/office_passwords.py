"""Decrypts an Office document whose password was sent with it, at a cost that the document cannot choose."""

import io
import struct
from typing import Any, BinaryIO
from xml.dom import expatbuilder
from xml.parsers.expat import ExpatError

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.backends import openssl
from msoffcrypto import exceptions  # type: ignore[import-untyped]
from msoffcrypto.format.ooxml import OOXMLFile  # type: ignore[import-untyped]
from olefile.olefile import OleFileError  # type: ignore[import-untyped]

from .limits import corrupt, too_complex, wrong_password

__all__ = ["decrypt_office"]

_NEEDED = (expatbuilder, openssl)
"""The modules that the libraries import when needed. Nothing can be imported once the file system is closed."""

MAX_SPINS = 1_000_000
"""The most times that a password is hashed. Office takes 100,000, and the format allows ten million."""
_WHAT = "Office document"
_BROKEN = (
    *(
        exceptions.FileFormatError,
        exceptions.ParseError,
        exceptions.DecryptionError,
        OleFileError,
        UnsupportedAlgorithm,
        ExpatError,
    ),
    *(OSError, ValueError, TypeError, KeyError, IndexError, AttributeError, struct.error, SyntaxError),
)
"""The errors that the libraries raise for bytes that break the format's rules."""


def decrypt_office(document: BinaryIO, password: str) -> memoryview:
    """Return the document without its encryption."""
    decrypted = io.BytesIO()
    try:
        _opened(document, password).decrypt(decrypted)
    except exceptions.InvalidKeyError as error:
        raise wrong_password(_WHAT) from error
    except _BROKEN as error:
        raise _broken() from error
    return decrypted.getbuffer()


def _opened(document: BinaryIO, password: str) -> Any:
    document.seek(0)
    office = OOXMLFile(io.BytesIO(document.read()))
    if getattr(office, "type", "") not in {"agile", "standard"}:
        raise _broken()
    if office.type == "agile" and office.info["spinValue"] > MAX_SPINS:
        raise too_complex(
            f"The Office document has its password hashed {office.info['spinValue']} times, but at most {MAX_SPINS} "
            "are allowed."
        )
    office.load_key(password=password, verify_password=True)
    return office


def _broken() -> Exception:
    return corrupt("The Office document is damaged, or encrypted in an unknown way, and cannot be decrypted.")
