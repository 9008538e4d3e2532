"""Measure the cost of the check that no call exceeds a balance: callers without a limit, with a balance, and with
budgets as well.

The ways take turns on one product. Cache hits show any added cost at its largest; the other calls run a tiny model. Run
from the repository's root: python -m tests.benchmarks.bench_money.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE

from tests.benchmarks.bench_cache import Requests
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.http_load import Figures, Request, load
from tests.inference.runtime.graphs import save_adder
from tests.kept_cluster import PROJECT
from tests.live_stack import LiveStack

CALLERS, ROUNDS, ROUND_S = 32, 9, 1.5
MODEL = "adder"
QUIET = {"MAAS_LOG_LEVEL": "WARNING"}
TENANTS = """
from django.db import transaction
from inference.registry.models import ServedModel
from tenants.billing.ledger.terms import grant_credit, set_budget, set_terms
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.onboarding.create_tenant import create_tenant
made = [create_tenant(name="Bench", email=f"bench{number}@example.com", password="") for number in range(3)]
for number, one in enumerate(made):
    tenant_id = one.tenant.id
    with operator_work(), transaction.atomic(using=OPERATOR):
        ServedModel.objects.update(price_meter="call", price_per=1, price_micros=3, cached_price_micros=1)
        if number:
            set_terms(tenant_id=tenant_id, currency="EUR", kind="prepaid")
            grant_credit(
                tenant_id=tenant_id, currency="EUR", amount_micros=10**14, reason="a benchmark", made_by="nobody"
            )
        for key_id in (None, one.key.key.id) if number == 2 else ():
            set_budget(tenant_id=tenant_id, currency="EUR", monthly_micros=10**14, key_id=key_id)
    print("KEY", one.key.text)
"""
BOUNDS = ("nothing", "a balance", "budgets as well")
Kinds = dict[str, Callable[[Requests], Request]]


def known(requests: Requests) -> Request:
    same = requests.embedding(1)
    return lambda: same


def runs(requests: Requests) -> Request:
    return lambda: requests.sum(headers="Cache-Control: no-store\r\n")


KINDS: Kinds = {"a known answer": known, "a run of a tiny model": runs}


def made(home: Path, folder: Path) -> dict[str, str]:
    """Return the keys by the limit that applies to them."""

    def manage(*words: str) -> str:
        command, env = [sys.executable, "manage.py", *words], {**os.environ, **QUIET, "MAAS_HOME": str(home)}
        return subprocess.run(command, cwd=PROJECT, env=env, check=True, stdout=PIPE, text=True).stdout

    manage("models", "add", str(save_adder(folder / "adder.onnx")), "--name", MODEL)
    lines = manage("shell", "-v0", "-c", TENANTS).splitlines()
    keys = [line.split()[1] for line in lines if line.startswith("KEY ")]
    return dict(zip(BOUNDS, keys, strict=True))


def measured(port: int, requests: dict[str, Request]) -> dict[str, list[Figures]]:
    """Measure all in turn, so that other work on the machine affects all alike. The first turn is a warm-up."""
    seen: dict[str, list[Figures]] = {name: [] for name in requests}
    for turn in range(ROUNDS + 1):
        for name, request in requests.items():
            figures = asyncio.run(load(port, ROUND_S, request, CALLERS))
            seen[name] += [figures] if turn else []
    return seen


def print_table(kind: str, seen: dict[str, list[Figures]]) -> None:
    print(f"\n{kind}; {CALLERS} callers, median of {ROUNDS} turns of {ROUND_S} s\n")
    print("| bounded by | requests/s | against nothing | p50 ms | p99 ms |\n|---|--|--|--|--|")
    first = next(iter(seen.values()))
    for name, taken in seen.items():
        ratio = statistics.median(one.per_s / bare.per_s for one, bare in zip(taken, first, strict=True))
        middle = sorted(taken, key=lambda one: one.per_s)[len(taken) // 2]
        print(f"| {name} | {middle.per_s:.0f} | x{ratio:.2f} | {middle.p50_ms:.2f} | {middle.p99_ms:.1f} |")


def main() -> None:
    print(circumstances(), flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="bench-money-") as folder,
        LiveStack(Path(folder) / "var", variables=QUIET) as stack,
    ):
        keys = made(stack.wait_until_ready().home, Path(folder))
        for kind, request in KINDS.items():
            ways = {name: request(Requests(key, MODEL)) for name, key in keys.items()}
            print_table(kind, measured(stack.port, ways))


if __name__ == "__main__":
    main()
