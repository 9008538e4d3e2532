"""How much a sandboxed child, and one request in it, may use."""

from dataclasses import dataclass

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ChildLimits:
    memory_bytes: int = 2048 * _MIB
    """Address space, so that code and mapped files count too."""
    file_bytes: int = 512 * _MIB
    """The largest file it may write: nothing but an arena is writable."""
    open_files: int = 32
    reply_bytes: int = 64 * _MIB
    start_s: float = 20.0
    """Wall-clock time until a child must be ready."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    wall_s: float
    cpu_s: int
    memory_bytes: int | None = None
    """Less address space than the child has; None for as much."""
    yields_after_s: float | None = None
    """Then it has the processor only where others leave it any; None: it never yields."""
