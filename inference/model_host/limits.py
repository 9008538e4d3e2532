"""The limits of a model host, and the layers that it needs."""

from dataclasses import dataclass, replace

from inference.sandbox.inside.layers import LANDLOCK, LIMITS, SECCOMP

_MIB = 1 << 20
_CODE_BYTES = 512 * _MIB
"""The address space of an empty host, and of what a load needs for a moment."""

HOST_NEEDS = frozenset({LIMITS, LANDLOCK, SECCOMP})
"""The layers without which no host is started. They are there in most containers, unlike namespaces."""


@dataclass(frozen=True, slots=True)
class HostLimits:
    memory_bytes: int = 4096 * _MIB
    """The limit of the address space. It is that of the trial at admission, so that what passed it can be loaded."""
    answer_bytes: int = 128 * _MIB
    """The most bytes of all outputs of a run, as the connection between web and worker carries at most."""
    load_s: float = 60.0
    run_s: float = 30.0
    """The same limit as for runs in the worker."""
    max_rest_s: float = 15.0
    """The most that pauses on a busy machine add to the limit of a run, which then ends before the 60 s of a call: its
    caller learns why, and a model whose runs never end is paused.
    """
    trial_s: float = 5.0
    """The limit of a run that no caller waits for."""
    yields_after_s: float = 1.0
    """The time of a run after which the host gets only processor time that nobody else wants."""
    threads: int = 1
    """The threads of a run. More than one would need a system call that also makes processes."""
    nice: int = 10
    """The nice value of a host. It gets a tenth of the processor time of another busy process."""
    lowest_nice: int = 19
    long_run_pauses: int = 4
    """The tenths of a second, of five, in which a run of more than a second is paused on a busy machine."""

    def within(self, budget_bytes: int) -> "HostLimits":
        """Return the limits for a worker whose models may take this much memory."""
        return replace(self, memory_bytes=min(self.memory_bytes, budget_bytes + _CODE_BYTES))
