"""The header by which a cell tells the home cell of a tenant who sent a request. Pure.

It names the sending cell, the moment and the caller's client IP, and is signed together with the receiving cell and the
caller's credential. So nobody else can write it, and it is worth nothing for another cell, another key or later.
"""

import base64
import binascii
import hashlib

from tenants.cells.cells import Cells
from tenants.cells.signatures import is_signed, sign

HEADER = b"x-maas-forwarded"
PURPOSE = "forward-1"
MAX_AGE_S = 60.0
"""The most seconds between the clocks of two cells, both ways."""
LONGEST = 300


def forwarded_header(cells: Cells, to: str, client_ip: str, credential: bytes, now_s: float) -> bytes:
    at_ms = str(int(now_s * 1000))
    message = _message(cells.own, to, at_ms, client_ip, credential)
    signature = base64.urlsafe_b64encode(sign(cells.secret, PURPOSE, message))
    return " ".join((cells.own, at_ms, client_ip)).encode("latin-1", "replace") + b" " + signature


def client_ip_of(cells: Cells, value: bytes, credential: bytes, now_s: float) -> str | None:
    """Return the client IP that the header vouches for, or None if it was not written by a cell for this request."""
    parts = value.decode("latin-1").split(" ") if len(value) <= LONGEST else []
    if len(parts) != 4:
        return None
    sender, at_ms, client_ip, written = parts
    cell = cells.by_name.get(sender)
    if cell is None or sender == cells.own or not (at_ms.isascii() and at_ms.isdigit()):
        return None
    if abs(now_s - int(at_ms) / 1000) > MAX_AGE_S:
        return None
    try:
        signature = base64.b64decode(written, b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    signed = is_signed(cell, PURPOSE, _message(sender, cells.own, at_ms, client_ip, credential), signature)
    return client_ip if signed else None


def _message(sender: str, to: str, at_ms: str, client_ip: str, credential: bytes) -> bytes:
    return "\n".join((sender, to, at_ms, client_ip, hashlib.sha256(credential).hexdigest())).encode(
        "latin-1", "replace"
    )
