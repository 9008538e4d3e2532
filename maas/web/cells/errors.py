"""The refusals of a cell that cannot serve a request because its tenant is at home in another one."""

from collections.abc import Iterable

from tenants.cells.cells import Cell
from tenants.core.errors import DomainError
from tenants.core.messages import names_in_words

RETRY_AFTER_S = 5


class UnknownCell(DomainError):
    """The error for a well-formed key of a cell that is not in MAAS_CELLS."""

    code = "unknown_cell"

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(
            f"This key belongs to the cell {name!r}, which is not known here; there are {names_in_words(known)}."
        )


class WrongCell(DomainError):
    """The error for a request that is served by its home cell alone and was not forwarded."""

    code = "wrong_cell"


class CellUnreachable(DomainError):
    """The error if the home cell did not get the request, or may safely get it again."""

    code = "cell_unreachable"
    gate = "cell"

    def __init__(self, cell: Cell) -> None:
        super().__init__(
            f"Your data is in the cell {cell.name!r}, which cannot be reached from here. Nothing was done. "
            f"Send this again later, or send it to {cell.url}.",
            extra={"cell": cell.name, "retry_after_s": RETRY_AFTER_S},
        )


class CellConnectionLost(DomainError):
    """The error if the connection broke after the request was sent: it may have been carried out."""

    code = "cell_connection_lost"

    def __init__(self, cell: Cell) -> None:
        super().__init__(
            f"The connection to your cell {cell.name!r} broke before it answered, so this request may have been "
            "carried out there. Send it again with the same Idempotency-Key, or look whether it was.",
            extra={"cell": cell.name},
        )


def wrong_cell(cell: Cell) -> WrongCell:
    return WrongCell(f"This key belongs to the cell {cell.name!r}. Send this to {cell.url}.", extra={"cell": cell.name})


def misrouted(name: str, own: str) -> WrongCell:
    return WrongCell(
        f"Another cell forwarded this request for the cell {name!r}, but this is {own!r}. An operator must compare "
        "MAAS_CELLS of both.",
        extra={"cell": name},
    )
