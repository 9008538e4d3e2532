"""Simulations that operators order in the admin. Each runs in a process of its own, and its results are kept for a day.

In a web process they would hold up requests for seconds to minutes.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import redis
import structlog
from django.conf import settings

from inference.core.prompt_redis import single_try
from jobs.simulation.comparison import PolicyName

log = structlog.get_logger(__name__)
LIMIT_S = 900
"""The seconds after which a simulation of one policy is ended."""
KEPT_S = 86_400
BUSY_KEY = "maas:simulation"
Json = dict[str, Any]


class SimulationBusy(Exception):
    """The error if another simulation runs. Each takes a whole core, which the product needs."""


@dataclass(frozen=True, slots=True)
class SimulationOrder:
    source: tuple[str, str]
    """An option of the command and its value: a scenario, or the days of usage."""
    node: str
    node_type: tuple[tuple[str, float], ...]
    policies: tuple[PolicyName, ...]

    @property
    def key(self) -> str:
        words = json.dumps(asdict(self), sort_keys=True)
        return f"maas:simulation:{hashlib.blake2b(words.encode(), digest_size=12).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Simulated:
    """What is known of an order."""

    runs: tuple[Json, ...] = ()
    """The results of the policies that have been simulated, in the order of the order."""
    running: str = ""
    """The policy that is being simulated."""
    problem: str = ""


@cache
def _connection() -> "redis.Redis":
    return single_try(settings.MAAS_REDIS_URL)


def simulated(order: SimulationOrder) -> Simulated | None:
    """Return what is known of an order. Return None if it has to be started. Raises `redis.RedisError`."""
    kept: bytes | None = _connection().get(order.key)  # type: ignore[assignment]
    runs_now: bytes | None = _connection().get(BUSY_KEY)  # type: ignore[assignment]
    if kept is None:
        return None
    found = json.loads(kept)
    state = Simulated(tuple(found["runs"]), found["running"], found["problem"])
    if state.running and (runs_now or b"").decode() != order.key:
        return Simulated(state.runs, problem="The process that simulated has ended. Simulate again.")
    return state


def start(order: SimulationOrder) -> None:
    """Start simulating, unless it is done already. Raises SimulationBusy, and `redis.RedisError`."""
    known = simulated(order)
    if known is not None and not known.problem:
        return
    if not _connection().set(BUSY_KEY, order.key, nx=True, ex=LIMIT_S + 60):
        raise SimulationBusy("Another simulation is running. Try again when it has ended.")
    _keep(order, Simulated(running=order.policies[0].value))
    threading.Thread(target=_run, args=(order,), name="simulation", daemon=True).start()


def _keep(order: SimulationOrder, state: Simulated) -> None:
    _connection().set(order.key, json.dumps(asdict(state)), ex=KEPT_S)


def _run(order: SimulationOrder) -> None:
    runs: list[Json] = []
    problem = ""
    try:
        for policy in order.policies:
            _keep(order, Simulated(tuple(runs), running=policy.value))
            _connection().expire(BUSY_KEY, LIMIT_S + 60)
            runs.append(_result(order, policy))
    except subprocess.TimeoutExpired:
        problem = f"The simulation took more than {LIMIT_S // 60} minutes. Run manage.py simulate instead."
    except subprocess.CalledProcessError as error:
        problem = str(error.stderr).strip().rpartition("\n")[2].removeprefix("CommandError: ") or "It failed."
        log.warning("simulation_failed", problem=problem)
    except Exception as error:
        problem = f"The simulation failed: {error}"
        log.exception("simulation_failed")
    try:
        _keep(order, Simulated(tuple(runs), problem=problem))
        _connection().delete(BUSY_KEY)
    except redis.RedisError as error:
        log.warning("simulation_lost", error=str(error))


def _result(order: SimulationOrder, policy: PolicyName) -> Json:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as prices:
        json.dump({order.node: dict(order.node_type)}, prices)
        prices.flush()
        option, value = order.source
        done = subprocess.run(
            _command(option, value, "--policy", policy.value, "--node", order.node, "--prices", prices.name),
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT_S,
        )
    found: Json = json.loads(done.stdout)
    return found


def _command(*options: str) -> Sequence[str]:
    script = str(Path(settings.BASE_DIR, "manage.py"))
    polite = ("nice",) if shutil.which("nice") else ()
    return (*polite, sys.executable, script, "simulate", *options, "--json", "--verbosity", "0")
