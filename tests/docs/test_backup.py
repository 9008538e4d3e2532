"""Tests what docs/operating.md promises of backups: made while the product works, and enough to rebuild it
elsewhere.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import boto3  # type: ignore[import-untyped]
import psycopg
import pytest
from moto.server import ThreadedMotoServer

from maas.local.embedded.postgres import PostgresServer
from tests.docs.conftest import CUT_SHORT, Restored, picture, script
from tests.flows.caller import Caller, assert_problem
from tests.flows.event_socket import EventSocket, ends
from tests.flows.product import Account
from tests.flows.signing_in import signed_in
from tests.maas.local.embedded.running import postgres_in, running
from tests.samples.pdfs import text_pdf

pytestmark = pytest.mark.xdist_group("backup")


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
        job = caller.submit_file(text_pdf("After the fire"), model="parse", wait_s=60).json()
        assert job["result"]["text"] == "After the fire"


def test_stream_gives_old_events_before_new_ones(restored: Restored) -> None:
    """Check the order although the new server numbers its transactions from the start again."""
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
    """Yield a server of the reader, which is empty except for the roles."""
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
    restored: Restored,
) -> None:
    """Check that of two backups the newer is kept, which needs nothing of the other, as the document says."""
    assert restored.beside == [CUT_SHORT, restored.backup.name]


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
