"""Measure the cost of limits: the guard before a response that takes no time, for a key without limits and one with
all.

The ways take turns, on their own Redis. A read request counts at two limits, the tenant's and the key's. A call counts
at six, and charges its tokens. Before a response that takes no time, the relative cost of limits is at its largest. The
goal is not this ratio, but that at most one request in ten of a busy process needs a round trip to Redis
(test_desk.py).

Run from the repository's root: python -m tests.benchmarks.bench_limits.
"""

import asyncio
import statistics
from contextlib import ExitStack

from tests.benchmarks.bench_front import BODY, CALLERS, Figures, load, serving
from tests.benchmarks.circumstances import circumstances
from tests.inference.workers.brokers.servers import redis_server

ROUNDS = 9
ROUND_S = 1.5
APPS = ("plain", "without_limits", "with_limits")
KINDS = {"a look": "/v1/view", "a call": "/v2/models/view/infer"}


def request(path: str) -> bytes:
    lines = (
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Authorization: Bearer key",
        f"Content-Length: {len(BODY)}",
    )
    return "\r\n".join((*lines, "", "")).encode() + BODY


def middle(rounds: list[Figures]) -> Figures:
    return sorted(rounds, key=lambda figures: figures.per_s)[len(rounds) // 2]


def main() -> None:
    print(circumstances())
    print(f"{CALLERS} callers, median of {ROUNDS} turns of {ROUND_S} s, granian\n")
    print("| what | plain ASGI/s | guard without limits/s | with limits/s | with / without | p99 ms without, with |")
    print("|---|--|--|--|--|--|")
    with redis_server() as url, ExitStack() as stack:
        variables = {"MAAS_REDIS_URL": url}
        ports = {
            app: stack.enter_context(serving("granian", app, variables, module="tests.benchmarks.limits_apps"))
            for app in APPS
        }
        for kind, path in KINDS.items():
            seen: dict[str, list[Figures]] = {app: [] for app in APPS}
            for turn in range(ROUNDS + 1):
                for app in APPS if turn % 2 else reversed(APPS):
                    figures = asyncio.run(load(ports[app], ROUND_S, request(path)))
                    if turn:  # the first turn is a warm-up
                        seen[app].append(figures)
            bare, before, after = (middle(seen[app]) for app in APPS)
            pairs = zip(seen["without_limits"], seen["with_limits"], strict=True)
            ratio = statistics.median(with_.per_s / without.per_s for without, with_ in pairs)
            print(
                f"| {kind} | {bare.per_s:.0f} | {before.per_s:.0f} | {after.per_s:.0f} | x{ratio:.2f}"
                f" | {before.p99_ms:.1f}, {after.p99_ms:.1f} |"
            )


if __name__ == "__main__":
    main()
