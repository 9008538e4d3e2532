"""Tests `manage.py` beside a running product: it finds it by MAAS_HOME, and its changes take effect at once."""

import subprocess
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg

from tests.inference.runtime.graphs import save_adder, save_reader_of
from tests.waiting import eventually

from .caller import Caller, assert_problem
from .product import Product

WITHIN = timedelta(seconds=1.5)
"""A second, plus the time that checking takes on a busy machine."""


def test_a_new_tenants_key_works_at_once_and_dies_within_a_second_of_its_revocation(product: Product) -> None:
    account = product.create_account("Brief")
    with product.caller(account) as caller:
        assert caller.get("/v1/jobs")["data"] == []
        with product.start_revoking_keys(account):
            refused_at = eventually(lambda: _refused_at(caller), "a refusal")
        assert_problem(caller.http.get("/v1/models"), 401, "api_key_revoked")
    ((revoked_at,),) = product.rows("SELECT revoked_at FROM tenants_apikey WHERE tenant_id = %s", account.tenant_id)
    assert refused_at - revoked_at < WITHIN


def _refused_at(caller: Caller) -> datetime | None:
    return None if caller.http.get("/v1/models").status_code == 200 else datetime.now(UTC)


def test_sql_files_are_applied_beside_running_processes_and_no_job_fails(product: Product, caller: Caller) -> None:
    with psycopg.connect(product.service("MAAS_DATABASE_URL")) as owner:
        owner.execute("DELETE FROM maas_applied_sql")
    with product.command("migrate", "--database=owner", "-v0") as migration:
        jobs: list[str] = []
        while not _has_ended(migration) or len(jobs) < 5:
            jobs.append(caller.submit("embed", input={"text": f"text {len(jobs)}"})["id"])
    assert migration.returncode == 0
    assert {caller.ended(job)["state"] for job in jobs} == {"succeeded"}
    assert len(product.rows("SELECT files FROM maas_applied_sql")) == 1


def _has_ended(process: subprocess.Popen[str]) -> bool:
    with suppress(subprocess.TimeoutExpired):
        process.wait(0.1)
    return process.returncode is not None


def test_a_model_added_beside_the_running_product_is_served_with_tensors_inline(
    product: Product, caller: Caller, tmp_path: Path
) -> None:
    added = product.manage("models", "add", str(save_adder(tmp_path / "adder.onnx")), "--name", "adder")
    assert added.returncode == 0, added.stderr
    assert caller.get("/v1/models/adder")["accepts"] == ["tensors"]
    tensor = {"name": "x", "datatype": "FP32", "shape": [2, 4], "data": [[1, 2, 3, 4], [5, 6, 7, 8.5]]}
    job = caller.ended(caller.submit("adder", input={"tensors": [tensor]})["id"])
    assert (job["state"], job["model"]) == ("succeeded", "adder@1")
    (page,) = caller.get(f"/v1/jobs/{job['id']}/result")["pages"]
    (output,) = page["outputs"]
    assert (output["name"], output["shape"]) == ("y", [2, 4])
    assert _flat(output["data"]) == [2, 3, 4, 5, 6, 7, 8, 9.5]
    wrong = {**tensor, "shape": [3, 4]}
    answer = caller.http.post("/v1/jobs", json={"model": "adder", "input": {"tensors": [wrong]}})
    assert_problem(answer, 422, "invalid_tensor")


def _flat(data: list[object]) -> list[object]:
    return [value for one in data for value in (_flat(one) if isinstance(one, list) else [one])]


def test_a_hostile_model_is_refused_and_leaves_no_trace(product: Product, caller: Caller, tmp_path: Path) -> None:
    before = product.files_under("files")
    thief = save_reader_of(tmp_path / "thief.onnx", "../../secrets.json")
    refused = product.manage("models", "add", str(thief), "--name", "thief")
    assert refused.returncode != 0
    assert "external_data_forbidden" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert_problem(caller.http.get("/v1/models/thief"), 404, "model_not_found")
    assert {path for path in product.files_under("files") - before if "tenants" not in path.parts} == set()
