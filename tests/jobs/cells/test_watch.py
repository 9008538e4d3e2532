"""Test what a cell remembers of the others: their reports, and since when they are away."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from prometheus_client import REGISTRY
from pytest_django import Settings

from jobs.cells import transport
from jobs.cells.documents import AccountPart
from jobs.cells.errors import CellAway
from jobs.cells.sync import sync_cells
from jobs.cells.watch import watch_cells
from tenants.cells.cells import Cells
from tenants.cells.models import DirectoryEntry, PeerCell
from tenants.core.db.unit_of_work import operator_work
from tests.jobs.cells.stand_in import StandIn, stand_in


@pytest.fixture
def peer(settings: Settings) -> Iterator[StandIn]:
    with stand_in(is_control=False) as made:
        settings.MAAS_CELL, settings.MAAS_CELLS = made.cells.own, made.cells
        yield made


def remembered(peer: StandIn) -> PeerCell:
    with operator_work():
        return PeerCell.objects.get(name=peer.name)


def test_the_report_of_a_cell_is_kept_while_it_is_away(peer: StandIn) -> None:
    peer.report = {"tenants": 7, "workers": 2, "waiting_work_s": 1.5}
    assert watch_cells() == 1
    found = remembered(peer)
    assert (found.report["tenants"], found.away_since) == (7, None)
    assert REGISTRY.get_sample_value("maas_cell_reachable", {"cell": peer.name}) == 1
    peer.cut_bytes = 5
    assert watch_cells() == 0
    away = remembered(peer)
    assert away.report["tenants"] == 7
    assert away.away_since is not None
    assert "broke off" in away.error
    assert REGISTRY.get_sample_value("maas_cell_reachable", {"cell": peer.name}) == 0
    watch_cells()
    assert remembered(peer).away_since == away.away_since
    peer.cut_bytes = 0
    watch_cells()
    assert remembered(peer).away_since is None


def test_a_port_without_a_server_and_another_server_count_as_away(peer: StandIn, settings: Settings) -> None:
    peer.report = {"cell": "somebody"}
    assert watch_cells() == 0
    assert "not as the cell" in remembered(peer).error
    gone = replace(peer.cells.by_name[peer.name], url="http://127.0.0.1:1")
    settings.MAAS_CELLS = replace(peer.cells, by_name={**peer.cells.by_name, peer.name: gone})
    assert watch_cells() == 0
    assert "refused" in remembered(peer).error
    assert sync_cells() == 0


def test_a_cell_that_answers_by_the_drop_is_given_up(peer: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "TIMEOUT_S", 0.2)
    peer.delay_s = 1.0
    assert watch_cells() == 0
    assert "timed out" in remembered(peer).error


def test_headers_that_never_end_are_given_up_at_the_deadline(peer: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "TOTAL_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while True:
                    connection.sendall(b"x")
                    time.sleep(0.05)

        threading.Thread(target=drip, daemon=True).start()
        slow = replace(peer.cells.by_name[peer.name], url=f"http://127.0.0.1:{server.getsockname()[1]}")
        with pytest.raises(CellAway, match="too long to arrive"):
            transport.read(peer.cells, slow, "/slow")


@pytest.mark.parametrize("report", [{"note": "a\0b"}, {"note": "x" * 300_000}])
def test_a_report_that_cannot_be_kept_does_not_stop_the_others(peer: StandIn, report: dict[str, Any]) -> None:
    with stand_in(is_control=False) as second:
        second.cells.by_name["here"] = peer.cells.by_name["here"]  # type: ignore[index]
        peer.cells.by_name[second.name] = second.cells.by_name[second.name]  # type: ignore[index]
        peer.report = report
        assert watch_cells() == 1
        assert remembered(second).away_since is None


def test_an_account_that_cannot_be_kept_does_not_stop_the_others(peer: StandIn) -> None:
    with stand_in(is_control=False) as second:
        peer.cells.by_name[second.name] = second.cells.by_name[second.name]  # type: ignore[index]
        second.cells.by_name["here"] = peer.cells.by_name["here"]  # type: ignore[index]
        peer.give(accounts=[AccountPart(uuid4(), "x" * 201, peer.name, "active")])
        second.give(accounts=[])
        assert sync_cells() == 1
        assert "length <= 200" in remembered(peer).refusal
        peer.give(accounts=[AccountPart(uuid4(), "a\0b", peer.name, "active")])
        sync_cells()
        assert "U+0000" in remembered(peer).refusal


def test_the_control_cell_learns_the_accounts_of_each_cell_from_it_alone(peer: StandIn) -> None:

    ours, foreign = AccountPart(uuid4(), "Ours", peer.name, "active"), AccountPart(uuid4(), "No", "mars", "active")
    peer.give(accounts=[ours, foreign])
    assert sync_cells() == 1
    with operator_work():
        assert [(entry.id, entry.home) for entry in DirectoryEntry.objects.filter(home__in=[peer.name, "mars"])] == [
            (ours.id, peer.name)
        ]
    assert "speaks for the account" in remembered(peer).refused[0]["reason"]
    with stand_in(is_control=False) as second:
        peer.cells.by_name[second.name] = second.cells.by_name[second.name]  # type: ignore[index]
        second.cells.by_name["here"] = peer.cells.by_name["here"]  # type: ignore[index]
        second.give(accounts=[AccountPart(ours.id, "Stolen", second.name, "active")])
        sync_cells()
        assert f"is in '{peer.name}' already" in remembered(second).refused[0]["reason"]
    with operator_work():
        assert DirectoryEntry.objects.get(id=ours.id).name == "Ours"
        DirectoryEntry.objects.all().delete()


def test_without_cells_nobody_is_asked(settings: Settings) -> None:
    settings.MAAS_CELLS = Cells()
    assert (watch_cells(), sync_cells()) == (0, 0)
