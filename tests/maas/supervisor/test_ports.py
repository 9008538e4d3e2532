"""A taken port is refused with words that help."""

import os
import socket

import pytest

from maas.supervisor.errors import PortTaken
from maas.supervisor.ports import free_port, require_free


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
