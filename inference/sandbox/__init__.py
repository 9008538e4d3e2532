"""Runs code on hostile input in child processes with limits. The parent survives whatever the input does to a child."""

from .arena import Arena
from .errors import (
    ChildDied,
    ChildFailed,
    ChildMisbehaved,
    ChildOutOfMemory,
    ChildTimedOut,
    LayersMissing,
    SandboxError,
    SandboxUnavailable,
)
from .inside.layers import LAYERS
from .isolation import Isolation
from .pool import SandboxPool
from .program import ChildLimits, Program, RequestLimits

__all__ = [
    "LAYERS",
    "Arena",
    "ChildDied",
    "ChildFailed",
    "ChildLimits",
    "ChildMisbehaved",
    "ChildOutOfMemory",
    "ChildTimedOut",
    "Isolation",
    "LayersMissing",
    "Program",
    "RequestLimits",
    "SandboxError",
    "SandboxPool",
    "SandboxUnavailable",
]
