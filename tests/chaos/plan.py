"""Decides from a seed which faults happen, to which target and when. It is pure, so that a run can be repeated."""

import enum
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Choice = TypeVar("Choice")
STANDS_S = 8.0
"""Seconds after which a killed process serves again, on a machine that has other work."""


class Kind(enum.Enum):
    KILL = "kill -9"
    FREEZE = "freeze"
    CUT = "cut"
    """Connections break, and for a while each new connection breaks at once."""
    REFUSE = "refuse"
    """Connections break, and for a while none can be made."""
    STALL = "stall"
    """Bytes stop for a while."""
    SLOW = "slow"
    """Bytes arrive late for a while."""
    DEAF = "lose the answers of"
    """Requests arrive and take effect, including a COMMIT. The client gets no response, and then loses the
    connection.
    """
    WIPE = "wipe"
    CLOCK = "set the clock of"
    """A clock is set once, seconds or hours off, forwards or back."""
    FILL = "fill"
    """A disk is filled to the last byte."""
    PROMOTE = "promote the standby of"
    """The first process of a server is killed for good, and its standby takes over."""


OF_CALLERS = (Kind.CUT, Kind.STALL)
OF_WIRES = (Kind.DEAF, Kind.CUT, Kind.STALL, Kind.REFUSE, Kind.SLOW)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The number of faults of each kind, and their possible targets."""

    jobs: int
    kills: int
    freezes: int
    cuts: int
    wipes: int
    lease_s: float
    killed: tuple[str, ...]
    frozen: tuple[str, ...]
    lines: tuple[str, ...]
    """The lines between callers and web processes."""
    broker: str
    breaks: int = 0
    wires: tuple[str, ...] = ()
    """The lines between the product and the services that it uses."""
    jumps: int = 0
    clocks: tuple[str, ...] = ()
    fills: int = 0
    disks: tuple[str, ...] = ()
    promotes: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    after: int
    """The number of accepted jobs after which the fault strikes. A slow machine meets it at the same job."""
    kind: Kind
    target: str
    lasts_s: float = 0.0
    quiet_s: float = 0.0
    """Seconds before the next fault may strike."""
    calm_s: float = 0.0
    """Seconds since the end of all earlier faults, so that what they broke works again."""
    shift_s: float = 0.0
    """The offset of a clock from the database's clock."""

    def __str__(self) -> str:
        if self.kind is Kind.CLOCK:
            return f"{self.kind.value} {self.target} {self.shift_s:+.0f} s off"
        lasting = f" for {self.lasts_s:.1f} s" if self.lasts_s else ""
        return f"{self.kind.value} {self.target}{lasting}"


def plan_faults(seed: int, wanted: Wanted) -> list[Fault]:
    """Return the faults in the order in which they strike, spread over all of the jobs."""
    chance = random.Random(seed)
    kinds = (
        [(Kind.KILL, target) for target in _everyone_once_first(chance, wanted.killed, wanted.kills)]
        + [(Kind.FREEZE, target) for target in _everyone_once_first(chance, wanted.frozen, wanted.freezes)]
        + [(chance.choice(OF_CALLERS), chance.choice(wanted.lines)) for _ in range(wanted.cuts)]
        + [(Kind.WIPE, wanted.broker)] * wanted.wipes
        + _everyone_once_first(chance, [(kind, wire) for kind in OF_WIRES for wire in wanted.wires], wanted.breaks)
        + [(Kind.CLOCK, target) for target in _everyone_once_first(chance, wanted.clocks, wanted.jumps)]
        + [(Kind.FILL, target) for target in _everyone_once_first(chance, wanted.disks, wanted.fills)]
        + [(Kind.PROMOTE, "postgres")] * wanted.promotes
    )
    chance.shuffle(kinds)
    step = wanted.jobs / (len(kinds) + 1)
    places = [int(step * (place + chance.uniform(0.6, 1.4))) for place in range(len(kinds))]
    return [
        _fault(chance, after, kind, target, wanted.lease_s) for after, (kind, target) in zip(places, kinds, strict=True)
    ]


def _fault(chance: random.Random, after: int, kind: Kind, target: str, lease_s: float) -> Fault:
    """Make a fault. Half of the workers' deaths have no other fault nearby, so that the wait of their pages can be
    measured.
    """
    if kind is Kind.KILL and target.startswith("worker") and chance.random() < 0.5:
        return Fault(after, kind, target, quiet_s=lease_s + 3.0, calm_s=STANDS_S)
    if kind is Kind.CLOCK:
        return Fault(after, kind, target, quiet_s=chance.uniform(0.1, 2.0), shift_s=draw_shift_s(chance))
    return Fault(after, kind, target, _lasts_s(chance, kind, lease_s), quiet_s=chance.uniform(0.1, 2.0))


def _everyone_once_first(chance: random.Random, targets: Sequence[Choice], count: int) -> list[Choice]:
    drawn = chance.sample(targets, min(count, len(targets)))
    return drawn + [chance.choice(targets) for _ in range(count - len(drawn))]


def draw_shift_s(chance: random.Random) -> float:
    """Draw an offset. Half are those of a machine without NTP, and half those of a machine with a wrong time zone."""
    size_s = chance.uniform(1.0, 90.0) if chance.random() < 0.5 else chance.uniform(0.5, 12.0) * 3600
    return chance.choice([-1.0, 1.0]) * size_s


def first_shifts(seed: int, clocks: Sequence[str]) -> dict[str, float]:
    """Return the offsets with which the processes begin a run, which all differ."""
    chance = random.Random(f"{seed}/clocks")
    return {clock: draw_shift_s(chance) for clock in clocks}


def _lasts_s(chance: random.Random, kind: Kind, lease_s: float) -> float:
    match kind:
        case Kind.FREEZE:
            return lease_s + chance.uniform(1.0, 3.0)
        case Kind.FILL:
            return chance.uniform(2.0, 8.0)
        case Kind.CUT | Kind.REFUSE | Kind.STALL | Kind.SLOW | Kind.DEAF:
            return chance.uniform(0.5, 3.0)
    return 0.0
