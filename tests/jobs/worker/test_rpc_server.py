"""Tests of a worker's RPCs with the built-in models, while the database is away."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections

from inference.core.calls import Call
from inference.core.contracts import TextInput
from inference.engine.engine import Engine
from inference.rpc import LaneClient, LaneUnavailable
from inference.workers.placement.loader import LoadTimes
from inference.workers.placement.page_counts import QueueTally
from jobs.worker.rpc_server import RpcServer
from jobs.worker.versions import VersionCatalog
from tenants.core.db.unit_of_work import OPERATOR

MODEL = "embed@1"
LINE = TextInput(("a line",), single=True)


@pytest.fixture
def client(engine: Engine, tmp_path: Path) -> Iterator[LaneClient]:
    lane = RpcServer(
        settings.MAAS_REDIS_URL,
        engine=engine,
        versions=VersionCatalog(),
        slots=1,
        tally=QueueTally(),
        load_times=LoadTimes(),
        sockets=tmp_path,
    )
    lane.serve([MODEL])
    lane.start()
    client = LaneClient(settings.MAAS_REDIS_URL)
    yield client
    client.close()
    lane.stop(5)


def call() -> Call:
    return Call(tenant="a", deadline_s=time.monotonic() + 30)


def test_a_database_that_is_away_is_nobodys_fault_and_over_when_it_is_back(
    client: LaneClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as away:
        away.setitem(connections.settings[OPERATOR], "HOST", "/nowhere")
        with pytest.raises(LaneUnavailable, match="send the request again"):
            client.call(MODEL, LINE, {}, call())
    assert client.call(MODEL, LINE, {}, call()).output.units.tokens
