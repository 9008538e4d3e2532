"""Test two whole cells: what is made in the control cell is used in the other, and a cell that is cut off goes on."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tenants.cells.reading import written
from tenants.cells.signatures import new_secret, public_key_of
from tests.fixtures import unique
from tests.live_stack import LiveStack
from tests.samples.adders import adder
from tests.waiting import eventually

from .product import Product

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("cell-sync")]
PLAN = unique("gold")
MODEL = unique("sum")
_SYNC = """
from jobs.cells.published import make_export
from jobs.cells.sync import sync_cells
from jobs.cells.watch import watch_cells
make_export(), sync_cells(), watch_cells()
"""
_SELL = f"""
from django.utils import timezone
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.models import Plan, PlanPrice
with operator_work():
    plan = Plan.objects.create(code="{PLAN}", name="Gold", requests_per_minute=1234)
    PlanPrice.objects.create(plan=plan, model="", meter="call", amount_micros=77, valid_from=timezone.now())
"""
_SUBSCRIBE = """
from tenants.billing.ledger.subscriptions import subscribe
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.models import Plan
with operator_work():
    subscribe(tenant_id="{tenant}", plan=Plan.objects.get(code="{plan}"))
"""


@dataclass
class TwoCells:
    eu: Product
    us: Product

    def run(self, cell: Product, code: str) -> str:
        done = cell.manage("shell", "-v0", "-c", code)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def sync(self) -> None:
        """Do at once what the schedulers do every half a minute."""
        for cell in (self.us, self.eu, self.us):
            self.run(cell, _SYNC)


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoCells]:
    secrets = {"eu": new_secret(), "us": new_secret()}
    variables: dict[str, dict[str, str]] = {name: {} for name in secrets}
    folder = tmp_path_factory.mktemp("cells")
    stacks = {name: LiveStack(folder / name, f"{name}.log", variables[name]) for name in secrets}
    for name, own in variables.items():
        own |= {
            "MAAS_CELL": name,
            "MAAS_CELLS": ",".join(f"{of}={stack.url}" for of, stack in stacks.items()),
            "MAAS_CELL_KEYS": ",".join(f"{of}={written(public_key_of(key))}" for of, key in secrets.items()),
            "MAAS_CELL_SECRET": written(secrets[name]),
            "MAAS_CONTROL_CELL": "eu",
            "MAAS_WEB_PROCESSES": "1",
        }
        stacks[name].give(own)
    with stacks["eu"], stacks["us"]:
        eu, us = (Product(stacks[name].wait_until_ready(), variables[name]) for name in ("eu", "us"))
        yield TwoCells(eu, us)


def test_a_model_and_a_plan_of_the_control_cell_serve_a_tenant_of_the_other(cells: TwoCells, tmp_path: Path) -> None:
    path = tmp_path / "sum.onnx"
    path.write_bytes(adder(5.0))
    added = cells.eu.manage("models", "add", str(path), "--name", MODEL, "--price-micros", "50")
    assert added.returncode == 0, added.stderr
    cells.run(cells.eu, _SELL)
    cells.sync()
    account = cells.us.create_account("Americas")
    cells.run(cells.us, _SUBSCRIBE.format(tenant=account.tenant_id, plan=PLAN))
    with cells.us.caller(account) as caller:
        body = {"inputs": [{"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1.0] * 4}]}
        answer = eventually(lambda: _answered(caller.http.post(f"/v2/models/{MODEL}/infer", json=body)), "a result")
    assert answer["outputs"][0]["data"] == [6.0] * 4
    used = "SELECT amount_micros FROM tenants_usagerecord WHERE tenant_id = %s AND model = %s"
    assert eventually(lambda: cells.us.rows(used, account.tenant_id, MODEL), "the usage") == [(77,)]
    # The built-in models of both cells are the same, and were taken over as they were. The demo tenant of one is a copy
    # of the other's, and stays at home in both.
    ((refused, refusal),) = cells.us.rows("SELECT refused, refusal FROM tenants_peercell")
    assert ({entry["part"] for entry in refused} <= {"accounts"}, refusal) == (True, "")
    cells.sync()  # The control cell learns of the new account, and gives it to all.
    known = cells.eu.rows("SELECT home FROM tenants_directoryentry WHERE id = %s", account.tenant_id)
    assert known == [("us",)]


def test_a_cell_that_is_cut_off_serves_its_tenants_and_catches_up(cells: TwoCells) -> None:
    web = cells.eu.processes("maas.web_processes")
    for process in web:
        process.suspend()  # Connections are opened, and nothing is answered.
    try:
        cells.run(cells.us, _SYNC)
        (away,) = cells.us.rows("SELECT away_since IS NOT NULL, version > 0 FROM tenants_peercell WHERE name = 'eu'")
        assert away == (True, True)
        with cells.us.caller() as caller:
            assert caller.http.get("/readyz").status_code == 200
            body = {"inputs": [{"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [2.0] * 4}]}
            answer = _answered(caller.http.post(f"/v2/models/{MODEL}/infer", json=body))
            assert answer["outputs"][0]["data"] == [7.0] * 4
    finally:
        for process in web:
            process.resume()
    paused = cells.eu.manage("models", "pause", MODEL)
    assert paused.returncode == 0, paused.stderr
    cells.sync()
    state = "SELECT state FROM inference_servedmodel WHERE name = %s AND tenant_id IS NULL"
    assert cells.us.rows(state, MODEL) == [("paused",)]


def _answered(answer: httpx.Response) -> dict[str, Any]:
    if answer.status_code in {404, 503}:  # A worker loads it.
        return {}
    assert answer.status_code == 200, answer.text
    return dict(json.loads(answer.content))
