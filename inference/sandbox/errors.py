"""What can go wrong with a sandboxed child, by whose fault it is."""


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
