"""The counts of a model version's loads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelLoads:
    """The counts of all its files since this process began. A file that versions share counts for each version."""

    loads: int = 0
    load_s: float = 0.0
    """The seconds of all loads, including warm-up."""
    failures: int = 0
    evictions: int = 0
    held_bytes: int = 0
    """The memory that is reserved now: what the loads took, and the most that runs needed."""
