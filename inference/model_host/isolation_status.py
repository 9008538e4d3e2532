"""Says whether this machine can isolate uploaded models."""

import tempfile
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from inference.sandbox import ChildLimits, Isolation, SandboxError
from inference.sandbox.fork_keeper import ForkKeeper
from inference.sandbox.isolation import find_bubblewrap

from .host_program import HOST_PROGRAM
from .limits import HOST_NEEDS


@dataclass(frozen=True, slots=True)
class IsolationStatus:
    available: bool
    missing: Mapping[str, str]
    """The reason for each layer that is missing, or for `sandbox` if no process can be started at all."""


def isolation_status(needs: Set[str] = HOST_NEEDS) -> IsolationStatus:
    """Start a template as those of hosts are, once for each process, and return what it lacks of `needs`."""
    try:
        missing = _reported().lacking(needs)
    except (SandboxError, OSError) as error:
        return IsolationStatus(False, {"sandbox": str(error)})
    return IsolationStatus(not missing, missing)


@cache
def _reported() -> Isolation:
    with tempfile.TemporaryDirectory(prefix="model-hosts-") as empty_folder:
        keeper = ForkKeeper(HOST_PROGRAM, ChildLimits(), find_bubblewrap(), Path(empty_folder))
        keeper.kill()
        return keeper.isolation
