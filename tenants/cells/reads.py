"""The proof that a reader is a cell, for what only cells may read. Pure."""

import base64
import binascii

from tenants.cells.cells import Cells
from tenants.cells.signatures import is_signed, sign

SCHEME = "Cell"
MAX_SKEW_S = 120
"""The most seconds between the clocks of two cells, and the time for which a request may be repeated."""
_PURPOSE = "read"


class NotACell(ValueError):
    """The error for credentials that are not those of another cell. The message says what is wrong."""


def read_credentials(cells: Cells, to: str, path: str, now_s: float) -> str:
    """Return the value of `Authorization` with which this cell reads a path of another cell."""
    at = int(now_s)
    signature = sign(cells.secret, _PURPOSE, _message(cells.own, to, path, at))
    return f"{SCHEME} {cells.own}.{at}.{base64.urlsafe_b64encode(signature).decode()}"


def reading_cell(cells: Cells, credentials: str, path: str, now_s: float) -> str:
    """Return the name of the cell that reads a path of this one. Raises NotACell."""
    name, _, rest = credentials.partition(".")
    time, _, text = rest.partition(".")
    cell = cells.by_name.get(name)
    if cell is None:
        raise NotACell(f"There is no cell {name[:40]!r} in MAAS_CELLS.")
    if not time.isascii() or not time.isdigit() or len(time) > 12:
        raise NotACell("The time of the request is missing.")
    try:
        signature = base64.b64decode(text, b"-_", validate=True)
    except (binascii.Error, ValueError):
        signature = b""
    if not is_signed(cell, _PURPOSE, _message(name, cells.own, path, int(time)), signature):
        raise NotACell(f"The signature is not that of the cell {name!r} for this path of {cells.own!r}.")
    if abs(now_s - int(time)) > MAX_SKEW_S:
        raise NotACell(
            f"The request was signed {abs(now_s - int(time)):.0f} s away from this cell's time; {MAX_SKEW_S} s are "
            "allowed. Set the clocks of both cells."
        )
    return name


def _message(of: str, to: str, path: str, at: int) -> bytes:
    return f"{of}\n{to}\n{path}\n{at}".encode()
