"""Runs code on hostile input in child processes with limits, and survives what the input does to them."""

from .arena import Arena
from .errors import (
    ChildDied,
    ChildFailed,
    ChildMisbehaved,
    ChildOutOfMemory,
    ChildTimedOut,
    SandboxError,
    SandboxUnavailable,
)
from .isolation import Isolation
from .limits import ChildLimits, RequestLimits
from .pool import SandboxPool
from .program import Program

__all__ = [
    "Arena",
    "ChildDied",
    "ChildFailed",
    "ChildLimits",
    "ChildMisbehaved",
    "ChildOutOfMemory",
    "ChildTimedOut",
    "Isolation",
    "Program",
    "RequestLimits",
    "SandboxError",
    "SandboxPool",
    "SandboxUnavailable",
]
