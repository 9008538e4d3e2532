"""Simulate traffic of hours or months: what a policy costs on a type of node, and how many promises it misses."""

import math
from argparse import ArgumentTypeError
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from inference.scaling.pool import Promise, Spike
from jobs.scaling.past_traffic import past_pages
from jobs.simulation.comparison import PolicyName, run_with
from jobs.simulation.errors import SimulationRefused
from jobs.simulation.model_kinds import read_model_kinds
from jobs.simulation.node_types import EXAMPLES, NodeType, read_node_types
from jobs.simulation.outcome import Outcome
from jobs.simulation.pool_run import PoolTrace
from jobs.simulation.scenarios import SCENARIOS, SPIKE_POOL
from jobs.simulation.traces import MAX_DAYS, TraceTerms, read_trace, tick_of, traces_of
from tenants.core.progress import progress_of


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--scenario", choices=sorted(SCENARIOS), help="traffic whose inputs are fixed")
        what.add_argument("--trace", type=Path, help="CSV file with a header, or JSON lines: at, work_s, …")
        what.add_argument("--usage", type=float, metavar="DAYS", help="pages of this service in the last days")
        parser.add_argument("--policy", choices=[name.value for name in PolicyName], default=PolicyName.OURS.value)
        parser.add_argument("--prices", type=Path, help="JSON object of node types by name")
        parser.add_argument("--models", type=Path, help="trace: JSON object of its models by name")
        parser.add_argument("--node", help="node type (default: that of the scenario, or the first)")
        parser.add_argument("--work-s", type=_positive, help="work of a request that names none, in seconds")
        parser.add_argument("--promise-wait-s", type=float, default=30.0, help="trace, usage: the promised wait")
        parser.add_argument("--promise-share", type=float, default=0.95, help="trace, usage: the promised share")
        parser.add_argument("--spike", type=float, help="trace, usage: the rise to absorb, as a multiple")
        parser.add_argument("--up", type=_count, help="trace, usage: replicas more in 120 s at most (default: any)")
        parser.add_argument("--seed", type=_whole, default=1)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            outcome = self._simulated(options)
        except (SimulationRefused, ValueError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(msgspec.json.encode(outcome.as_json()).decode())
            return
        self.stdout.write(outcome.table())

    def _simulated(self, options: dict[str, Any]) -> Outcome:
        own = read_node_types(options["prices"]) if options["prices"] else {}
        node_types = {**EXAMPLES, **own}
        if options["models"] and not options["trace"]:
            raise SimulationRefused("--models describes the models of a --trace")
        if options["scenario"]:
            scenario = SCENARIOS[options["scenario"]]()
            node = _known(options["node"], node_types) if options["node"] else None
            if own and node is None and (missing := scenario.nodes - own.keys()):
                raise SimulationRefused(
                    f"{scenario.name} runs on {', '.join(sorted(missing))}, which {options['prices']} does not have. "
                    f"Add it, or choose --node among {', '.join(sorted(own))}"
                )
            traces = scenario.traces(node_types, node=node, seed=options["seed"])
            return self._outcome(
                options, scenario.name, traces, tick_s=scenario.tick_s, mean_answer_s=scenario.mean_answer_s
            )
        name = options["node"] or next(iter(own or EXAMPLES))
        terms = TraceTerms(
            Promise(options["promise_share"], options["promise_wait_s"]),
            node_types[_known(name, node_types)],
            options["work_s"],
            spike=None if options["spike"] is None else Spike(options["spike"]),
            taming=SPIKE_POOL if options["up"] is None else replace(SPIKE_POOL, up=options["up"], up_share=0.0),
            models=read_model_kinds(options["models"]) if options["models"] else None,
        )
        if options["usage"] is not None:
            source = f"the last {options['usage']:g} days"
            traces = traces_of(past_pages(_days(options["usage"])), terms, source)
            return self._outcome(options, source, traces, tick_s=tick_of(traces))
        traces = read_trace(options["trace"], terms)
        return self._outcome(options, options["trace"].name, traces, tick_s=tick_of(traces))

    def _outcome(
        self,
        options: dict[str, Any],
        name: str,
        traces: list[PoolTrace],
        *,
        tick_s: float,
        mean_answer_s: float | None = None,
    ) -> Outcome:
        policy, progress = PolicyName(options["policy"]), progress_of(self, options)
        runs = []
        for trace in traces:
            progress.stage(f"{trace.name}: {len(trace.arrivals):,} requests")
            runs.append(run_with(policy, trace, tick_s=tick_s))
        return Outcome(name, policy, runs, mean_answer_s)


def _positive(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise ArgumentTypeError(f"must be a number above 0, not {text!r}")
    return found


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"must be a whole number of at least 0, not {text!r}")
    return int(text)


def _count(text: str) -> int:
    found = _whole(text)
    if found < 1:
        raise ArgumentTypeError("must be at least 1")
    return found


def _days(days: float) -> timedelta:
    if not 0 < days <= MAX_DAYS:
        raise SimulationRefused(f"--usage must be above 0 and at most {MAX_DAYS} days, not {days:g}")
    return timedelta(days=days)


def _known(name: str, node_types: dict[str, NodeType]) -> str:
    if name not in node_types:
        raise SimulationRefused(f"there is no node type {name!r}. Known are {', '.join(sorted(node_types))}")
    return name
