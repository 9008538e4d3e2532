"""The options of a run of the harness."""

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    seed: int = 0
    jobs: int = 1000
    kills: int = 10
    freezes: int = 2
    cuts: int = 2
    wipes: int = 1
    breaks: int = 0
    jumps: int = 0
    fills: int = 0
    promotes: int = 0
    broker: str = "redis"
    lease_s: int = 3
    callers: int = 16
    settle_s: float = 60.0
    """Seconds without any change after which jobs that have not ended count as lost."""
    plain: bool = False
    window: bool = False
    control: bool = False
    keep: bool = False


def read_options(words: Sequence[str]) -> Options:
    usual = Options()
    parser = argparse.ArgumentParser(prog="make chaos ARGS='…'", description=__doc__)
    parser.add_argument("--seed", type=int, default=None, help="repeats a run's plan; none draws one")
    parser.add_argument("--jobs", type=_some, default=usual.jobs)
    parser.add_argument("--kills", type=_number, default=usual.kills, help="kill -9, of every kind of process")
    parser.add_argument("--freezes", type=_number, default=usual.freezes, help="SIGSTOP for longer than a lease")
    parser.add_argument("--cuts", type=_number, default=usual.cuts, help="callers' connections cut or stalled")
    parser.add_argument("--wipes", type=_number, default=usual.wipes, help="the broker forgets all it holds")
    parser.add_argument(
        "--breaks",
        type=_number,
        default=usual.breaks,
        help="connections to PostgreSQL, Redis and the broker cut, refused, stalled, slowed or left without answers",
    )
    parser.add_argument(
        "--jumps", type=_number, default=usual.jumps, help="of clocks, which disagree from the start then"
    )
    parser.add_argument("--fills", type=_number, default=usual.fills, help="disks filled; for root alone")
    parser.add_argument(
        "--promotes",
        type=int,
        choices=(0, 1),
        default=usual.promotes,
        help="PostgreSQL is killed for good, and its synchronous standby takes over",
    )
    parser.add_argument("--broker", choices=("redis", "rabbitmq"), default=usual.broker)
    parser.add_argument("--lease", dest="lease_s", type=_some, default=usual.lease_s, help="seconds")
    parser.add_argument("--callers", type=_some, default=usual.callers)
    parser.add_argument("--settle", dest="settle_s", type=float, default=usual.settle_s, help="seconds")
    parser.add_argument(
        "--plain", action="store_true", help="small jobs alone: no calls, batches, webhooks or deadlines"
    )
    parser.add_argument(
        "--window", action="store_true", help="with the owner's list of jobs open in a browser all the while"
    )
    parser.add_argument("--control", action="store_true", help="without the outbox: this must fail")
    parser.add_argument("--keep", action="store_true", help="leave the product's folder and log where they are")
    asked = vars(parser.parse_args(words))
    asked["seed"] = random.SystemRandom().randrange(10**6) if asked["seed"] is None else asked["seed"]
    return Options(**asked)


def _number(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is less than 0")
    return number


def _some(text: str) -> int:
    number = _number(text)
    if number == 0:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
