"""Measure calls of a tiny model by many tenants beside calls by one, with keys, limits and metering.

Run from the repository's root: python -m tests.benchmarks.bench_tenants [tenants] [--zipf 1.1] [--rounds 3]. The whole
product runs. 64 callers each use the key of a tenant by chance for each call: each tenant is as likely as any other, or
they are as unequal as the Zipf exponent says. One tenant and many take turns. The goal is 0.95 of the rate of one
tenant for 300 tenants, and for 10,000 tenants 0.85 with --zipf 1.1 and 0.6 without.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.peers.callers import Figures, together
from tests.benchmarks.peers.loads import LOADS, ServedFile, served_files
from tests.benchmarks.peers.ours import QUIET, key_header, own_wire, whole_product
from tests.kept_cluster import PROJECT
from tests.services import without_product

TURN_S = 5.0
WARM_UP_S = 10.0
LIKELY_PER_S = 8_000
SEED = """
import django, json, sys
django.setup()
from tenants.onboarding.create_tenant import create_tenant
made = (create_tenant(name=f"Tenant {n}", email="many@example.com", password="x" * 12) for n in range(int(sys.argv[1])))
print(json.dumps([one.key.text for one in made]))
"""


def keys_of_new_tenants(home: Path, count: int) -> list[str]:
    env = without_product(os.environ) | {"MAAS_HOME": str(home), "DJANGO_SETTINGS_MODULE": "maas.settings", **QUIET}
    argv = [sys.executable, "-c", SEED, str(count)]
    done = subprocess.run(argv, cwd=PROJECT, env=env, capture_output=True, text=True, check=True)
    keys: list[str] = json.loads(done.stdout.splitlines()[-1])
    return keys


class Callers:
    """Calls of the tiny model, none of them twice, each with the key of a tenant by chance."""

    def __init__(self, port: int, file: ServedFile, keys: list[str], zipf: float) -> None:
        weights = 1 / np.arange(1, len(keys) + 1) ** zipf
        self._port = port
        self._wires = [own_wire(file, key_header(key)) for key in keys]
        self._shares = weights / weights.sum()
        self._chance = np.random.default_rng(7)
        self._next = 0

    def turn(self, seconds: float) -> Figures:
        load, first = LOADS["tiny"], self._next
        count = int(LIKELY_PER_S * (seconds + 1.5))
        self._next += count
        drawn = self._chance.choice(len(self._wires), count, p=self._shares)
        ready = [self._wires[who].request(load.given(first + number)) for number, who in enumerate(drawn)]
        return together(self._port, lambda number: ready[number % count], load.callers, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tenants", nargs="?", type=int, default=300)
    parser.add_argument("--zipf", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{circumstances()} at the start")
    with tempfile.TemporaryDirectory(prefix="bench-tenants-") as written:
        folder = Path(written)
        files = served_files(folder)
        with whole_product(files, folder) as ours:
            file, port = files["tiny"], ours["tiny"].port
            keys = keys_of_new_tenants(folder / "var", options.tenants)
            one, many = Callers(port, file, keys[:1], 0.0), Callers(port, file, keys, options.zipf)
            for callers in (one, many):
                callers.turn(WARM_UP_S)
            ratios = []
            for _ in range(options.rounds):
                alone, beside = one.turn(TURN_S), many.turn(TURN_S)
                ratios.append(beside.per_s / alone.per_s)
                print(
                    f"one tenant {alone.per_s:.0f}/s, p50 {alone.p50_ms:.1f} ms; {options.tenants} tenants "
                    f"{beside.per_s:.0f}/s, p50 {beside.p50_ms:.1f} ms, p99 {beside.p99_ms:.1f} ms: "
                    f"x{ratios[-1]:.2f}",
                    flush=True,
                )
            print(f"median x{statistics.median(ratios):.2f}; {circumstances()} at the end")


if __name__ == "__main__":
    main()
