"""What docs/operating.md promises of backups: made while the product works, and enough to build it anew elsewhere."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]
import psycopg
import pytest
from moto.server import ThreadedMotoServer

from maas.embedded.postgres import PostgresServer
from tests.docs.product import PROJECT
from tests.flows.caller import Caller, assert_problem
from tests.flows.conftest import own_product
from tests.flows.event_socket import EventSocket, ends
from tests.flows.product import Account, Product
from tests.flows.signing_in import signed_in
from tests.maas.embedded.running import postgres_in, running
from tests.samples.pdfs import scanned_pdf
from tests.services import without_product

pytestmark = pytest.mark.xdist_group("backup")


@dataclass(frozen=True)
class Restored:
    backup: Path
    product: Product
    before: dict[str, Any]
    """What callers had seen before the backup was made."""

    @property
    def caller(self) -> Caller:
        return self.product.caller()


def script(name: str, *arguments: Path | str, **variables: Path | str) -> subprocess.CompletedProcess[str]:
    env = without_product(os.environ) | {"MAAS_PYTHON": sys.executable}
    env |= {name: str(value) for name, value in variables.items()}
    argv = [PROJECT / "deploy/backup" / name, *arguments]
    return subprocess.run(argv, env=env, capture_output=True, text=True, timeout=120, check=False)


def picture(caller: Caller, document_id: object) -> bytes:
    answer = caller.http.get(f"/v1/documents/{document_id}/pages/1/picture")
    assert answer.status_code == 200, answer.text
    return answer.content


def _work(product: Product) -> dict[str, Any]:
    with product.caller() as caller:
        job = caller.submit_file(scanned_pdf("Kept for ever"), model="ocr", wait_s=60).json()
        gone = caller.upload(scanned_pdf("Deleted while the backup ran"), "gone.pdf")
        return {
            "job": caller.get(f"/v1/jobs/{job['id']}", include="result"),
            "picture": picture(caller, job["document"]),
            "gone": gone["id"],
            "demo": product.running.demo,
        }


def _delete_while_it_runs(backup: Path, document_id: str) -> None:
    """Leave the backup as it is when the document is deleted after the dump and before its file is copied."""
    manifest = json.loads((backup / "manifest.json").read_text())
    (backup / "manifest.json").write_text(json.dumps(manifest | {"erased_documents": [document_id]}))
    lines = (backup / "files.jsonl").read_text().splitlines(keepends=True)
    (backup / "files.jsonl").write_text("".join(line for line in lines if document_id not in line))
    shutil.rmtree(next((backup / "files").rglob(document_id)))


@pytest.fixture(scope="module")
def restored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Restored]:
    folder = tmp_path_factory.mktemp("backup")
    with own_product(folder / "first") as (_, product):
        before = _work(product)
        for _ in range(2):
            made = script("backup", folder / "backups", MAAS_HOME=product.home)
            assert made.returncode == 0, made.stderr
    shutil.rmtree(folder / "first")
    newest = max((folder / "backups").iterdir())
    _delete_while_it_runs(newest, before["gone"])
    done = script("restore", newest, MAAS_HOME=folder / "second")
    assert done.returncode == 0, done.stderr + done.stdout
    with own_product(folder / "second") as (_, product):
        yield Restored(newest, product, before)


def test_old_key_reads_the_old_result_and_the_old_picture(restored: Restored) -> None:
    before = restored.before
    with Caller(restored.product.running.url, before["demo"]["MAAS_API_KEY"]) as caller:
        assert caller.get(f"/v1/jobs/{before['job']['id']}", include="result") == before["job"]
        assert picture(caller, before["job"]["document"]) == before["picture"]


def test_old_password_signs_in(restored: Restored) -> None:
    demo = restored.before["demo"]
    with signed_in(restored.product, Account("", demo["MAAS_EMAIL"], demo["MAAS_PASSWORD"], "")) as browser:
        assert browser.get(f"/jobs/{restored.before['job']['id']}").status_code == 200


def test_new_work_is_done(restored: Restored) -> None:
    with restored.caller as caller:
        job = caller.submit_file(scanned_pdf("After the fire"), model="ocr", wait_s=60).json()
        assert job["result"]["text"] == "After the fire"


def test_stream_gives_old_events_before_new_ones(restored: Restored) -> None:
    """Though the new server numbers its transactions anew."""
    with restored.caller as caller, EventSocket.with_key(caller.url, caller.key) as socket:
        assert socket.receive()["type"] == "ready"
        new = caller.submit("embed", input="one more")["id"]
        socket.send(subscribe="all", after="0-0")
        while socket.receive()["type"] != "subscribed":
            pass
        jobs = [event["job"] for event in socket.events_until(ends(new)) if event["type"] == "job.succeeded"]
    assert jobs.index(restored.before["job"]["id"]) < jobs.index(new)


def test_cursor_of_the_lost_server_is_refused_rather_than_waited_for(restored: Restored) -> None:
    with restored.caller as caller, EventSocket.with_key(caller.url, caller.key) as socket:
        assert socket.receive()["type"] == "ready"
        socket.send(subscribe="all", after=f"{10**9}-1")
        assert socket.receive()["code"] == "invalid_cursor"


def test_what_was_deleted_while_the_backup_ran_stays_deleted(restored: Restored) -> None:
    with restored.caller as caller:
        answer = caller.http.get(f"/v1/documents/{restored.before['gone']}")
    assert_problem(answer, 410, "document_deleted")


def test_walls_between_tenants_stand_again(restored: Restored) -> None:
    with psycopg.connect(restored.product.service("MAAS_DATABASE_URL"), options="-c role=maas_app") as app:
        assert app.execute("SELECT count(*) FROM jobs_job").fetchone() == (0,)


def test_every_file_is_what_its_row_says(restored: Restored) -> None:
    assert restored.product.manage("verify_files").returncode == 0
    damaged = next(path for path in restored.product.files_under("files") if path.suffix == ".onnx")
    whole = damaged.read_bytes()
    damaged.write_bytes(b"x" + whole[1:])
    found = restored.product.manage("verify_files")
    damaged.write_bytes(whole)
    assert found.returncode == 1
    assert f"{damaged.name} is damaged" in found.stderr


@pytest.fixture
def own_database(tmp_path: Path) -> Iterator[PostgresServer]:
    """A server of the reader's own: empty, but for the roles."""
    (tmp_path / "server").mkdir(mode=0o700)
    server = postgres_in(tmp_path / "server")
    with running(server, tmp_path / "postgres.log"):
        server.provision()
        yield server


@pytest.fixture
def own_bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "stand-in")
    client = boto3.client("s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1")
    client.create_bucket(Bucket="restored")
    yield f"s3://restored/here?endpoint=http://{host}:{port}&region=us-east-1"
    server.stop()


@pytest.mark.long
def test_backup_goes_into_a_server_and_a_bucket_of_ones_own_and_comes_back_out(
    restored: Restored, own_database: PostgresServer, own_bucket: str, tmp_path: Path
) -> None:
    place: dict[str, Path | str] = {
        "MAAS_HOME": tmp_path / "home",
        "MAAS_DATABASE_URL": own_database.url,
        "MAAS_STORAGE_URL": own_bucket,
    }
    done = script("restore", restored.backup, "--superuser-url", own_database.superuser_url("maas"), **place)
    assert done.returncode == 0, done.stderr + done.stdout
    again = script("backup", tmp_path / "again", **place)
    assert again.returncode == 0, again.stderr
    lists = [folder / "files.jsonl" for folder in (restored.backup, next((tmp_path / "again").iterdir()))]
    assert len({"".join(sorted(path.read_text().splitlines())) for path in lists}) == 1
    twice = script("restore", restored.backup, "--superuser-url", own_database.superuser_url("maas"), **place)
    assert twice.returncode == 1
    assert "already" in twice.stderr


def test_only_the_newest_backups_are_kept_and_none_that_was_cut_short_is_taken_for_one(
    restored: Restored, tmp_path: Path
) -> None:
    (tmp_path / "20260101T000000Z").mkdir()
    for _ in range(3):
        assert script("backup", tmp_path, "2", MAAS_HOME=restored.product.home).returncode == 0
    kept = sorted(path.parent.name for path in tmp_path.glob("*/manifest.json"))
    assert len(kept) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["20260101T000000Z", *kept]


def test_restore_refuses_a_pepper_that_is_not_the_backups(restored: Restored, tmp_path: Path) -> None:
    done = script("restore", restored.backup, MAAS_HOME=tmp_path / "home", MAAS_KEY_PEPPER="another")
    assert done.returncode == 1
    assert "every API key would be refused" in done.stderr


def test_restore_refuses_a_backup_that_was_cut_short(restored: Restored, tmp_path: Path) -> None:
    cut = tmp_path / "cut"
    shutil.copytree(restored.backup, cut, ignore=shutil.ignore_patterns("manifest.json"))
    done = script("restore", cut, MAAS_HOME=tmp_path / "home")
    assert done.returncode == 1
    assert "no whole backup" in done.stderr
    assert not (tmp_path / "home" / "postgres").exists()
