"""Node types: what a replica on one costs, how long it takes to start, and how fast it works."""

import math
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import msgspec

from jobs.simulation.errors import SimulationRefused


@dataclass(frozen=True, slots=True)
class NodeType:
    price_per_hour: float
    start_s: float
    load_s: float
    """The time to load its models."""
    speed: float = 1.0
    """The speed as a multiple of that of the machine that the work was measured on."""
    slots: int = 1
    spot_losses_per_hour: float = 0.0
    memory_mb: float = 0.0
    """The memory of a replica for models. 0: all of them fit."""


EXAMPLES: Mapping[str, NodeType] = {
    "l4": NodeType(0.80, 180, 40),
    "a100": NodeType(3.70, 240, 40, speed=3.0),
    "l4-spot": NodeType(0.30, 180, 40, spot_losses_per_hour=0.05),
    "cpu": NodeType(0.05, 60, 5),
}
"""Orders of magnitude, to try the command with. A decision needs `--prices` with one's own."""


def read_node_types(path: Path) -> dict[str, NodeType]:
    """Read node types from a JSON object by name."""
    try:
        found = msgspec.json.decode(path.read_bytes().removeprefix(BOM_UTF8), type=dict[str, dict[str, Any]])
    except OSError as error:
        raise SimulationRefused(f"{path} cannot be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise SimulationRefused(f"{path} is not a JSON object of node types: {error}") from error
    if not found:
        raise SimulationRefused(f"{path} has no node type")
    return {name: _node_type(name, values) for name, values in found.items()}


def _node_type(name: str, values: Mapping[str, Any]) -> NodeType:
    known = {field.name for field in fields(NodeType)}
    if unknown := values.keys() - known:
        raise SimulationRefused(f"{name} has {min(unknown)!r}. A node type has {', '.join(sorted(known))}")
    if missing := {"price_per_hour", "start_s", "load_s"} - values.keys():
        raise SimulationRefused(f"{name} has no {min(missing)!r}")
    for key, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise SimulationRefused(f"{name}: {key} must be a number of at least 0, not {value!r}")
    slots = values.get("slots", 1)
    if values.get("speed", 1) == 0 or slots < 1 or slots != int(slots):
        raise SimulationRefused(f"{name}: speed must be above 0, and slots a whole number of at least 1")
    return NodeType(**{**values, "slots": int(slots)})
