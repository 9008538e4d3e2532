"""Tests of web processes that share a port: one that is killed takes nothing from the others, and is replaced."""

import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import grpc
import httpx
import psutil  # type: ignore[import-untyped]
import pytest
from prometheus_client.parser import text_string_to_metric_families

from inference.gateway.gateway import GRPC_PREFIX
from maas.local.supervisor.ports import free_port
from maas.web_processes.group_metrics import merged
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import PROJECT, GranianServer
from tests.maas.raw_http import RawRequest
from tests.samples.pdfs import text_pdf
from tests.waiting import eventually

CALLERS = 16


@pytest.fixture(scope="module")
def pair() -> Iterator[GranianServer]:
    variables = {"MAAS_WEB_PROCESSES": "2", "MAAS_GRPC_PORT": str(free_port())}
    with GranianServer("maas.asgi:application", variables) as server:
        eventually(lambda: len(serving(server)) == 2, "two processes that serve")
        yield server


def serving(server: GranianServer) -> set[str]:
    """Return the numbers of the processes that answer."""
    text = httpx.get(f"{server.url}/metrics", timeout=30).text
    return {sample.labels["process"] for family in text_string_to_metric_families(text) for sample in family.samples}


def web_processes(server: GranianServer) -> list[psutil.Process]:
    return list(psutil.Process(server.process.pid).children())


def holder(server: GranianServer, port: int) -> psutil.Process | None:
    """Return the process that has accepted the connection from this port."""
    for process in web_processes(server):
        if any(one.raddr and one.raddr.port == port for one in process.net_connections("tcp")):
            return process
    return None


class Caller:
    """Calls again and again on one connection, and on a new one for each second call, until it is told to stop."""

    def __init__(self, server: GranianServer, over: threading.Event) -> None:
        self._server = server
        self._over = over
        self._kept = self._connection()
        self.answered = 0
        self.new_failed: list[str] = []
        self.kept_failed: list[str] = []
        self._call(self._kept)
        assert self._kept.sock is not None
        self.port = int(self._kept.sock.getsockname()[1])
        self.thread = threading.Thread(target=self._go_on)

    def _connection(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self._server.port, timeout=30)

    def _call(self, connection: HTTPConnection) -> None:
        connection.request("GET", "/livez")
        assert connection.getresponse().read() == b"alive\n"
        self.answered += 1

    def _go_on(self) -> None:
        while not self._over.is_set():
            self._note(self._kept, self.kept_failed)
            new = self._connection()
            self._note(new, self.new_failed)
            new.close()

    def _note(self, connection: HTTPConnection, failed: list[str]) -> None:
        try:
            self._call(connection)
        except (OSError, HTTPException) as error:
            failed.append(repr(error))
            connection.close()


@contextmanager
def load(server: GranianServer) -> Iterator[list[Caller]]:
    over = threading.Event()
    callers = [Caller(server, over) for _ in range(CALLERS)]
    for caller in callers:
        caller.thread.start()
    try:
        yield callers
    finally:
        over.set()
        for caller in callers:
            caller.thread.join()


def renewed(server: GranianServer, before: set[int]) -> None:
    """Wait until two processes serve, and all that did before have ended."""
    eventually(lambda: not {one.pid for one in web_processes(server)} & before, "the end of the old processes")
    eventually(lambda: len(serving(server)) == 2, "two processes that serve")


def test_all_are_replaced_with_their_parent_and_the_port_stays_open(pair: GranianServer) -> None:
    began_s = psutil.Process(pair.process.pid).create_time()
    with load(pair) as callers:
        for _ in range(2):
            before = {process.pid for process in web_processes(pair)}
            pair.process.send_signal(signal.SIGHUP)
            renewed(pair, before)
        answered = sum(caller.answered for caller in callers)
        eventually(lambda: sum(caller.answered for caller in callers) > answered + CALLERS, "more calls")
    new_failed = [error for caller in callers for error in caller.new_failed]
    assert not [error for error in new_failed if "ConnectionRefused" in error]
    # One that an old process accepted in its last moment may be closed without an answer.
    assert len(new_failed) <= CALLERS, new_failed
    # A connection that is kept ends with its process. At most one request may have been on its way each time.
    assert all(len(caller.kept_failed) <= 2 for caller in callers)
    assert psutil.Process(pair.process.pid).create_time() == began_s


def test_a_replaced_process_that_does_not_end_is_killed() -> None:
    variables = {"MAAS_WEB_PROCESSES": "2", "MAAS_DRAIN_S": "0", "MAAS_FINISH_S": "1"}
    with GranianServer("maas.asgi:application", variables) as server:
        eventually(lambda: len(serving(server)) == 2, "two processes that serve")
        before = {process.pid for process in web_processes(server)}
        psutil.Process(min(before)).suspend()
        server.process.send_signal(signal.SIGHUP)
        renewed(server, before)
        assert "web_process_killed" in server.log_path.read_text()


def test_a_program_that_cannot_start_replaces_nothing(tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    for folder in ("maas", "jobs", "inference", "tenants", "templates"):
        shutil.copytree(PROJECT / folder, copied / folder, ignore=shutil.ignore_patterns("__pycache__"))
    with GranianServer("maas.asgi:application", {"MAAS_WEB_PROCESSES": "2"}, project=copied) as server:
        eventually(lambda: len(serving(server)) == 2, "two processes that serve")
        before = {process.pid for process in web_processes(server)}
        (copied / "maas" / "urls.py").write_text("raise SystemExit('broken')")
        server.process.send_signal(signal.SIGHUP)
        eventually(lambda: "web_not_renewed" in server.log_path.read_text(), "the refusal in the log")
        assert {process.pid for process in web_processes(server)} == before
        assert len(serving(server)) == 2


def test_one_that_is_killed_is_replaced_and_the_other_loses_no_call(pair: GranianServer) -> None:
    with load(pair) as callers:
        victim = holder(pair, callers[0].port)
        assert victim is not None
        theirs = [caller for caller in callers if holder(pair, caller.port) == victim]
        before = {process.pid for process in web_processes(pair)}
        killed_s = time.monotonic()
        victim.kill()
        eventually(lambda: len({one.pid for one in web_processes(pair)} - before) == 1, "another process")
        eventually(lambda: len(serving(pair)) == 2, "two processes that serve")
        print(f"replaced after {time.monotonic() - killed_s:.2f} s, {len(theirs)} of {CALLERS} connections lost")
        answered = sum(caller.answered for caller in callers)
        eventually(lambda: sum(caller.answered for caller in callers) > answered + CALLERS, "more calls")
    assert all(len(caller.kept_failed) <= 1 for caller in theirs)
    assert not [caller.kept_failed for caller in callers if caller not in theirs and caller.kept_failed]
    # A new connection fails only if the killed process had just accepted it: at most one of each caller.
    assert all(len(caller.new_failed) <= 1 for caller in callers)


def test_an_upload_at_one_goes_on_while_the_other_is_replaced(pair: GranianServer, tenant: CreatedTenant) -> None:
    content = text_pdf("Page one")
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n' + content + b"\r\n--b--\r\n"
    head = (
        "POST /v1/documents HTTP/1.1\nTransfer-Encoding: chunked\nContent-Type: multipart/form-data; boundary=b\n"
        f"Authorization: Bearer {tenant.key.text}"
    )
    with RawRequest(pair.port, head) as request:
        request.send_chunk(part[:200])
        mine = eventually(lambda: holder(pair, request.port), "its process")
        (other,) = [process for process in web_processes(pair) if process != mine]
        other.kill()
        eventually(lambda: other not in web_processes(pair) and len(serving(pair)) == 2, "two processes that serve")
        request.send_chunk(part[200:])
        request.send(b"0\r\n\r\n")
        assert request.answer().status == 201


def test_metrics_are_of_all_processes_whichever_is_asked(pair: GranianServer) -> None:
    def counted() -> dict[str, float]:
        families = text_string_to_metric_families(httpx.get(f"{pair.url}/metrics", timeout=30).text)
        return {
            sample.labels["process"]: sample.value
            for family in families
            for sample in family.samples
            if sample.name == "maas_request_seconds_count"
            and (sample.labels["kind"], sample.labels["outcome"]) == ("api", "refused")
        }

    before = sum(counted().values())
    for _ in range(40):
        assert httpx.get(f"{pair.url}/v1/jobs").status_code == 401
    assert sum(counted().values()) == before + 40
    eventually(
        lambda: httpx.get(f"{pair.url}/v1/jobs").status_code == 401 and len(counted()) == 2, "a refusal by each process"
    )


def test_each_process_serves_grpc(pair: GranianServer) -> None:
    port = int(pair.variables["MAAS_GRPC_PORT"])

    def takers() -> bool:
        return all(
            any(one.laddr.port == port and one.status == "ESTABLISHED" for one in process.net_connections("tcp"))
            for process in web_processes(pair)
        )

    with ExitStack() as stack:

        def one_more() -> bool:
            # Each channel has a connection of its own.
            options = [("grpc.use_local_subchannel_pool", 1)]
            channel = stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{port}", options=options))
            assert channel.unary_unary(f"{GRPC_PREFIX}ServerLive")(b"", timeout=30) == b"\x08\x01"
            return takers()

        eventually(one_more, "calls at both processes")


def test_processes_end_with_their_parent(tenant: CreatedTenant) -> None:
    with GranianServer("maas.asgi:application", {"MAAS_WEB_PROCESSES": "2"}) as server:
        children = web_processes(server)
        assert len(children) == 2
        server.process.kill()
        _, alive = psutil.wait_procs(children, timeout=60)
        assert not alive


def test_a_signal_to_the_parent_stops_all(tenant: CreatedTenant) -> None:
    with GranianServer("maas.asgi:application", {"MAAS_WEB_PROCESSES": "2"}) as server:
        eventually(lambda: len(serving(server)) == 2, "two processes that serve")
        children = web_processes(server)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        assert not any(child.is_running() for child in children)
        assert "web_process_killed" not in server.log_path.read_text()


def test_an_application_that_cannot_start_ends_the_parent() -> None:
    with pytest.raises(AssertionError, match="did not start"), GranianServer("tests.nowhere:application"):
        pass


def test_metrics_of_many_are_one_text() -> None:
    one = '# HELP a_total Calls.\n# TYPE a_total counter\na_total 1.0\n# HELP b Size.\n# TYPE b gauge\nb{k="x y"} 2.0\n'
    two = '# HELP b Size.\n# TYPE b gauge\nb{k="x y"} 3.0\n'
    assert merged({"0": one, "1": two}).decode().splitlines() == [
        "# HELP a_total Calls.",
        "# TYPE a_total counter",
        'a_total{process="0"} 1.0',
        "# HELP b Size.",
        "# TYPE b gauge",
        'b{process="0",k="x y"} 2.0',
        'b{process="1",k="x y"} 3.0',
    ]
