"""The limits of a transformation."""

from dataclasses import dataclass

_MIB = 1 << 20
_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class TransformLimits:
    wall_s: float = 1800.0
    cpu_s: int = 1800
    address_space_bytes: int = 12 * _GIB
    """The limit of the child's address space, which includes code and what is reserved and never used."""
    output_bytes: int = 2 * _GIB - 1
    """The largest file, which is also the most that protobuf writes."""
    workspace_bytes: int = 8 * _GIB
    """The most bytes of the files that the tools write in between."""
