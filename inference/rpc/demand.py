"""Measure how much waits for each model version, and for how long. Workers decide by it which models to load."""

from collections.abc import Sequence
from dataclasses import dataclass

from inference.rpc.commands import Command
from inference.rpc.keys import UNSERVED, lane_key
from inference.rpc.lines import CommandLine
from inference.rpc.scripts import DEMAND, UNSERVED_SINCE


@dataclass(frozen=True, slots=True)
class LaneDemand:
    waiting: int
    oldest_wait_s: float


def lane_demand(line: CommandLine, model_keys: Sequence[str]) -> dict[str, LaneDemand]:
    """Return the demand for each model. This takes one command, and some microseconds of the server for each queue.
    Raises `redis.RedisError`.
    """
    if not model_keys:
        return {}
    _now, *told = line.run(Command(DEMAND, tuple(map(lane_key, model_keys)), ()))
    return {
        key: LaneDemand(int(waiting), int(oldest_ms) / 1000)
        for key, waiting, oldest_ms in zip(model_keys, told[::2], told[1::2], strict=True)
    }


def unserved_since_last(line: CommandLine) -> dict[str, int]:
    """Return the requests that came since the last call while no worker served their model, however they ended. Raises
    `redis.RedisError`.
    """
    found: list[bytes] = line.run(Command(UNSERVED_SINCE, (UNSERVED,), ()))
    return {key.decode(): int(count) for key, count in zip(found[::2], found[1::2], strict=True)}
