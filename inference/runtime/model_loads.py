"""The counts of a model version's loads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelLoads:
    """Of all its files since this process began; a file that versions share counts for each."""

    loads: int = 0
    load_s: float = 0.0
    """Warm-up included."""
    failures: int = 0
    evictions: int = 0
    held_bytes: int = 0
    """Set aside now: what the loads took, and the most that runs needed."""
