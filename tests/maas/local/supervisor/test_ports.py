"""Tests that a taken port is refused with a helpful message."""

import os
import socket
from pathlib import Path

import pytest

from maas.local.supervisor import ports
from maas.local.supervisor.ports import free_port, require_free
from maas.process.errors import PortTaken


def test_taken_port_names_itself_and_its_holder() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(PortTaken) as refusal:
            require_free("127.0.0.1", port)
    assert f"MAAS_PORT={port}" in str(refusal.value)
    assert f"held by process {os.getpid()}" in str(refusal.value)


def test_port_shared_by_another_listener_is_taken() -> None:
    """Two servers with SO_REUSEPORT would silently share their callers."""
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as server, pytest.raises(PortTaken):
        require_free("127.0.0.1", server.getsockname()[1])


def test_free_port_can_be_used() -> None:
    require_free("127.0.0.1", free_port())


def test_free_ports_are_none_that_the_system_gives_away_meanwhile() -> None:
    lowest, highest = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    assert not {free_port() for _ in range(50)} & set(range(lowest, highest + 1))


def test_whoever_asks_twice_gets_two() -> None:
    assert len({free_port() for _ in range(50)}) == 50


def test_a_port_that_somebody_listens_on_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = free_port(), free_port()
    monkeypatch.setattr(ports, "_OURS", range(first, second + 1))
    with socket.create_server(("127.0.0.1", first), reuse_port=True):
        assert {free_port() for _ in range(5)} == {second}
    monkeypatch.setattr(ports, "_SYSTEMS_RANGE", Path("/nonexistent"))
    assert free_port() in {first, second}


def test_where_the_system_has_all_ports_it_gives_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    every = tmp_path / "range"
    every.write_text("1024\t65535\n")
    monkeypatch.setattr(ports, "_SYSTEMS_RANGE", every)
    require_free("127.0.0.1", free_port())
