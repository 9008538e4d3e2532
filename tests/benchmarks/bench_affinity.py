"""Compare homes for models with none: cold loads and response times of 12 models on 3 workers that hold 4 each.

Run from the repository's root: python -m tests.benchmarks.bench_affinity. It takes less than two minutes.
"""

import json
import os
import subprocess
import sys

from tests.benchmarks.affinity_traffic import (
    HELD_BY_EACH,
    JOBS,
    JOBS_PER_S,
    MODELS,
    SIZE_BYTES,
    THREADS,
    WORKERS,
)
from tests.benchmarks.circumstances import circumstances
from tests.services import RunServices, without_product


def main() -> None:
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
        command = [sys.executable, "-m", "tests.benchmarks.affinity_traffic"]
        told = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True, text=True).stdout
    finally:
        services.stop()
    report(json.loads(told.strip().splitlines()[-1]))


def report(figures: dict[str, dict[str, float]]) -> None:
    print(circumstances())
    print(
        f"{MODELS} models of {SIZE_BYTES / 1e6:.0f} MB, {WORKERS} workers that hold {HELD_BY_EACH} each,",
        end=" ",
    )
    print(f"{THREADS} threads a worker, {JOBS} jobs of one page, {JOBS_PER_S:g} a second, model n comes 1/n as often")
    print("Loads are all of a run, those before its first job included.\n")
    print("| strategy | loads | one load, median ms | job p50 ms | p95 ms |")
    print("|---|--|--|--|--|")
    for name, row in figures.items():
        print(f"| {name} | {row['loads']} | {row['load_ms']:.0f} | {row['p50_ms']:.0f} | {row['p95_ms']:.0f} |")
    sticky, control = figures["sticky"], figures["random"]
    print(f"\ncold loads: {control['loads'] / sticky['loads']:.1f} times fewer", end="; ")
    print(f"p95: {control['p95_ms'] / sticky['p95_ms']:.1f} times lower")


if __name__ == "__main__":
    main()
