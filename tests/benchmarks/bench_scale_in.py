"""Give workers up under load, as Kubernetes does, and count what that costs callers and pages. Nothing may.

Run from the repository's root: python -m tests.benchmarks.bench_scale_in [processes] [drains]. Without numbers, 10
worker processes are given up, and 50 workers in one process. Each process takes some ten seconds on two cores, mostly
to start, and each worker in one process a second: 200 and 800 take about an hour.
"""

import json
import os
import subprocess
import sys

from tests.benchmarks.circumstances import circumstances
from tests.services import RunServices, without_product

DEFAULTS = ("10", "50")


def main() -> None:
    processes, drains = (int(number) for number in [*sys.argv[1:], *DEFAULTS[len(sys.argv) - 1 :]][:2])
    report(given_up(processes, drains))


def given_up(processes: int, drains: int) -> dict[str, dict[str, float]]:
    services = RunServices()
    try:
        services.start()
        address = services.address()
        address.create_database(1)
        env = {
            **without_product(os.environ),
            **address.environment(1),
            "DJANGO_SETTINGS_MODULE": "maas.settings",
        }
        command = [sys.executable, "-m", "tests.benchmarks.scale_in_traffic", str(processes), str(drains)]
        printed = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True, text=True).stdout
    finally:
        services.stop()
    found: dict[str, dict[str, float]] = json.loads(printed.strip().splitlines()[-1])
    return found


def report(figures: dict[str, dict[str, float]]) -> None:
    if not figures:
        return
    print(circumstances())
    print("Three callers and eight unfinished jobs at any time. Of the processes, half are those with the lowest")
    print("deletion cost, the others the busiest. Times are in seconds.\n")
    names = list(next(iter(figures.values())))
    print(f"| workers given up | {' | '.join(names)} |")
    print(f"|---|{'--|' * len(names)}")
    for where, row in figures.items():
        print(f"| {where} | {' | '.join(f'{row[name]:g}' for name in names)} |")


if __name__ == "__main__":
    main()
