"""What can go wrong with a sandboxed child, by whose fault it is."""

from collections.abc import Set

from .isolation import Isolation


class SandboxError(Exception):
    """Any failure of a sandbox."""


class ChildTimedOut(SandboxError):
    """The request ran past its wall-clock limit; the child was killed."""


class ChildOutOfMemory(SandboxError):
    """The request needed more memory than the child may have."""


class ChildDied(SandboxError):
    """The child ended in the middle of the request: a crash, an abort or its processor-time limit."""

    def __init__(self, exit_status: int) -> None:
        super().__init__(f"the child ended with status {exit_status}")
        self.exit_status = exit_status
        """Negative: the number of the signal that ended it."""


class ChildFailed(SandboxError):
    """The program raised an error that it did not foresee."""


class ChildMisbehaved(SandboxError):
    """The child answered with something that is no answer; it must be held compromised."""


class SandboxUnavailable(SandboxError):
    """No child was free in time, or none can be started; the request was not run."""


class LayersMissing(SandboxUnavailable):
    """A child lacks layers that it needs, and was ended before it saw any input."""

    def __init__(self, isolation: Isolation, needs: Set[str]) -> None:
        reasons = isolation.lacking(needs)
        lacking = "; ".join(f"{layer}: {reason}" for layer, reason in reasons.items())
        super().__init__(
            f"the sandbox lacks {' and '.join(reasons)}, which MAAS_SANDBOX_NEEDS names ({lacking}). "
            "Mend that, or take the name out of MAAS_SANDBOX_NEEDS"
        )
        self.isolation = isolation
