"""The mark by which a ticket for a websocket names the cell that issued it. Pure."""

from tenants.cells.reading import NAME

_SEPARATOR = "."
"""A character that neither a cell's name nor a random ticket contains."""


def marked(ticket: str, cell: str) -> str:
    return f"{cell}{_SEPARATOR}{ticket}" if cell else ticket


def cell_of_ticket(ticket: str) -> str:
    """Return the cell that the ticket names, or an empty text."""
    name, separator, _ = ticket.partition(_SEPARATOR)
    return name if separator and NAME.fullmatch(name) else ""
