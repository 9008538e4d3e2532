"""Errors of a sandboxed child, by what caused them."""

from collections.abc import Set

from .isolation import Isolation


class SandboxError(Exception):
    """Any failure of a sandbox."""


class ChildTimedOut(SandboxError):
    """The error for a request that ran past its wall-clock limit. The child was killed."""


class ChildOutOfMemory(SandboxError):
    """The error for a request that needed more memory than the child may use."""


class ChildDied(SandboxError):
    """The error for a child that ended during the request, by a crash, an abort or its processor-time limit."""

    def __init__(self, exit_status: int) -> None:
        super().__init__(f"the child ended with status {exit_status}")
        self.exit_status = exit_status
        """The exit status. A negative value is the number of the signal that ended the child."""


class ChildFailed(SandboxError):
    """The error for an exception that the program did not foresee."""


class ChildMisbehaved(SandboxError):
    """The error for a child whose reply is not a valid answer. The child must be considered compromised."""


class SandboxUnavailable(SandboxError):
    """The error for a request that was not run, because no child was free in time or none can be started."""


class LayersMissing(SandboxUnavailable):
    """The error for a child that lacks layers it needs. The child was ended before it saw any input."""

    def __init__(self, isolation: Isolation, needs: Set[str]) -> None:
        reasons = isolation.lacking(needs)
        lacking = "; ".join(f"{layer}: {reason}" for layer, reason in reasons.items())
        super().__init__(
            f"the sandbox lacks {' and '.join(reasons)}, which MAAS_SANDBOX_NEEDS names ({lacking}). "
            "Mend that, or take the name out of MAAS_SANDBOX_NEEDS"
        )
        self.isolation = isolation
