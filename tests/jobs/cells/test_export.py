"""Test what a cell gives to others: its signed document, its files and its report, and to whom."""

import base64
import hashlib
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connections, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from inference.registry.models import ModelVersion
from jobs.cells.documents import Document, read_document
from jobs.cells.published import PURPOSE, make_export, next_version
from tenants.cells.cells import Cell, Cells
from tenants.cells.models import CellExport, DirectoryEntry
from tenants.cells.reads import read_credentials
from tenants.cells.signatures import is_signed, new_secret, public_key_of
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import Plan, PlanPrice
from tests.fixtures import unique
from tests.waiting import eventually

SECRETS = {"eu": new_secret(), "us": new_secret()}
BY_NAME = {name: Cell(name, f"https://{name}.example.com", (public_key_of(key),)) for name, key in SECRETS.items()}
US = Cells("us", "eu", BY_NAME, SECRETS["us"])
EXPORT, REPORT, FILES = (f"/v1/operator/cells/{name}" for name in ("export", "report", "files/"))


@pytest.fixture
def control(settings: Settings) -> None:
    settings.MAAS_CELL, settings.MAAS_CELLS = "eu", Cells("eu", "eu", BY_NAME, SECRETS["eu"])


def ask(path: str, **headers: str) -> Any:
    credentials = read_credentials(US, "eu", path, time.time())
    return Client().get(path, headers={"Authorization": credentials, **headers})


def document() -> Document:
    answer = ask(EXPORT)
    assert answer.status_code == 200
    signature = base64.urlsafe_b64decode(answer.headers["Maas-Cell-Signature"])
    assert is_signed(BY_NAME["eu"], PURPOSE, answer.content, signature)
    return read_document(answer.content, "eu")


def test_the_control_cell_gives_plans_models_and_accounts(
    control: None, tenant: CreatedTenant, version: ModelVersion
) -> None:
    code, content = unique("plan"), unique("weights").encode()
    sha256 = hashlib.sha256(content).hexdigest()
    name = default_storage.save(f"models/{sha256}/model.onnx", ContentFile(content))
    with operator_work():
        plan = Plan.objects.create(code=code, name="Pro", pages_at_once=3)
        PlanPrice.objects.create(plan=plan, meter="page", amount_micros=7, valid_from=timezone.now())
        version.artifacts = {"weights": {"sha256": sha256, "bytes": len(content), "file": name}}
        version.save()
        served = version.served_model
        ModelVersion.objects.create(served_model=served, number=2, runtime="onnx", digest="2" * 64, state="validating")
        ModelVersion.objects.create(served_model=served, number=3, runtime="onnx", digest="3" * 64, tenant=None)
        far = DirectoryEntry.objects.create(id=timezone.now().strftime("%Y%m%d%H%M%S%f").ljust(32, "0"), name="Far",
                                            home="us", state="active")  # fmt: skip
    assert make_export()
    found = document()
    of_code = {plan.code: plan for plan in found.content.plans}
    assert [price.amount_micros for price in of_code[code].prices] == [7]
    assert of_code[code].limits["pages_at_once"] == 3
    model = {model.name: model for model in found.content.models}[served.name]
    assert [one.number for one in model.versions] == [1, 3]
    assert (model.versions[0].files["weights"].sha256, model.aliases) == (sha256, {"current": 1})
    homes = {str(account.id): account.home for account in found.content.accounts}
    assert homes[str(tenant.tenant.id)] == "eu"
    assert "us" in homes.values()
    assert b"".join(ask(FILES + sha256).streaming_content) == content
    with operator_work():
        far.delete()


def test_the_version_grows_only_with_changes(control: None, tenant: CreatedTenant) -> None:
    make_export()
    first = document().version
    assert not make_export()
    assert ask(EXPORT, **{"If-None-Match": f'"{first}"'}).status_code == 304
    with operator_work():
        type(tenant.tenant).objects.filter(pk=tenant.tenant.pk).update(name=unique("renamed"))
    assert make_export()
    assert document().version > first
    assert ask(EXPORT, **{"If-None-Match": f'"{first}"'}).status_code == 200


def test_a_restored_database_goes_on_above_what_it_had_given() -> None:
    assert next_version(5, now_s=1000.0) == 1_000_000
    assert next_version(1_000_000, now_s=1000.0) == 1_000_001
    assert next_version(2_000_000, now_s=1000.0) == 2_000_001  # a clock that was set back


def test_a_new_key_signs_the_document_anew(control: None, settings: Settings) -> None:
    make_export()
    new = new_secret()
    only_new = Cell("eu", "https://eu.example.com", (public_key_of(new),))
    settings.MAAS_CELLS = Cells("eu", "eu", {**BY_NAME, "eu": only_new}, new)
    assert make_export()
    with operator_work():
        made = CellExport.objects.get()
    assert is_signed(only_new, PURPOSE, bytes(made.body), bytes(made.signature))


def test_another_cell_gives_its_accounts_alone(control: None, settings: Settings, tenant: CreatedTenant) -> None:
    settings.MAAS_CELLS = Cells("eu", "us", BY_NAME, SECRETS["eu"])
    make_export()
    found = document().content
    assert (list(found.plans), list(found.models)) == ([], [])
    assert {account.home for account in found.accounts} == {"eu"}
    assert tenant.tenant.id in {account.id for account in found.accounts}


def test_files_of_accounts_and_unknown_files_are_given_to_nobody(
    control: None, tenant: CreatedTenant, version: ModelVersion
) -> None:
    sha256 = hashlib.sha256(unique("own").encode()).hexdigest()
    with operator_work():
        type(version.served_model).objects.filter(pk=version.served_model_id).update(tenant=tenant.tenant)
        version.artifacts = {"weights": {"sha256": sha256, "bytes": 3, "file": f"models/{sha256}/model.onnx"}}
        version.tenant = tenant.tenant
        version.save()
    assert ask(FILES + sha256).status_code == 404
    assert ask(FILES + "0" * 64).status_code == 404


@pytest.mark.parametrize("path", [EXPORT, REPORT, FILES + "0" * 64])
def test_only_cells_read(control: None, path: str, tenant: CreatedTenant) -> None:
    stale = read_credentials(US, "eu", path, time.time() - 200)
    other_path = read_credentials(US, "eu", path + "x", time.time())
    other_cell = read_credentials(US, "us", path, time.time())
    unknown = read_credentials(Cells("mars", "eu", BY_NAME, SECRETS["us"]), "eu", path, time.time())
    forged = read_credentials(Cells("us", "eu", BY_NAME, new_secret()), "eu", path, time.time())
    broken = [
        "Cell",
        "Cell us",
        "Cell us.1",
        "Cell us.x.y",
        f"Cell us.{int(time.time())}.é",
        f"Bearer {tenant.key.text}",
    ]
    for credentials in (stale, other_path, other_cell, unknown, forged, *broken):
        answer = Client().get(path, headers={"Authorization": credentials})
        assert answer.status_code == 401, credentials
    assert Client().get(path).status_code == 401


def test_without_cells_there_is_nothing(settings: Settings) -> None:
    settings.MAAS_CELLS = Cells()
    for path in (EXPORT, REPORT, FILES + "0" * 64):
        assert ask(path).status_code == 401
    assert not make_export()


def test_a_report_has_the_figures_of_the_cell(control: None) -> None:
    make_export()
    report = ask(REPORT).json()
    assert (report["cell"], report["is_control"], report["refused"]) == ("eu", True, [])
    assert report["version"] == document().version
    assert report["tenants"] >= 0


def test_a_scheduler_that_waited_for_another_gives_no_older_content(control: None, tenant: CreatedTenant) -> None:
    make_export()
    name = unique("renamed")
    with ThreadPoolExecutor(1) as other, operator_work():
        with transaction.atomic(using=OPERATOR):
            CellExport.objects.select_for_update().get()
            waiting = other.submit(_made)
            eventually(_is_waited_for, "the other scheduler waits for the lock")
            type(tenant.tenant).objects.filter(pk=tenant.tenant.pk).update(name=name)
        assert waiting.result(timeout=20)
    assert name in {account.name for account in document().content.accounts}


def _made() -> bool:
    try:
        return make_export()
    finally:
        connections.close_all()


def _is_waited_for() -> bool:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid)))"
        )
        return bool(cursor.fetchone()[0])
