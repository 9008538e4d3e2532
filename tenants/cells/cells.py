"""What a process knows about the cells of its installation. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    name: str
    url: str
    """The base URL, without a slash at its end."""
    public_keys: tuple[bytes, ...]
    """The Ed25519 keys that sign for this cell. There are two while its key is being replaced."""


@dataclass(frozen=True)
class Cells:
    """All cells, this one included. Without cells it is empty, and false."""

    own: str = ""
    control: str = ""
    """The name of the cell that sends models, plans and the directory to the others, or an empty text."""
    by_name: Mapping[str, Cell] = field(default_factory=dict)
    secret: bytes = field(default=b"", repr=False)
    """The Ed25519 private key of this cell."""
    redirect: bool = False
    """Set if requests for other cells are answered with 307 instead of being forwarded."""

    def __bool__(self) -> bool:
        return bool(self.own)

    @property
    def is_control(self) -> bool:
        return bool(self.own) and self.own == self.control

    @property
    def here(self) -> Cell:
        """Return this cell. Raises KeyError if there are no cells."""
        return self.by_name[self.own]

    @property
    def others(self) -> tuple[Cell, ...]:
        return tuple(cell for name, cell in self.by_name.items() if name != self.own)
