"""Test the calls about models with a server that gives prepared answers."""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from maas_client import AsyncClient, Client, Conflict, ModelRefused, ModelTimedOut, TaskFailed
from maas_client.async_models import AsyncModels
from maas_client.models import Models
from tests.client.stand_in import Answer, StandIn

KEY = "maas_live_x"
VERSION: dict[str, Any] = {
    "model": "scores",
    "version": 2,
    "state": "validating",
    "progress": {"stage": "trial run", "done": 1, "total": 3},
    "license": "MIT",
    "labels": {"team": "risk"},
    "created": 1795172785,
}
REFUSED = VERSION | {
    "state": "refused",
    "report": {
        "refused": {
            "code": "operator_not_allowed",
            "detail": "Operator 'x.Y' is not allowed.",
            "node": "n7",
            "bound": None,
            "what_to_do": "Use standard ONNX operators.",
        }
    },
}
TASK = {"id": "t", "state": "running", "progress": {"stage": "int8", "done": 1, "total": 4}, "error": None}


def ready(**changes: object) -> Answer:
    return Answer.of(200, {**VERSION, "state": "ready", **changes})


def test_a_pushed_file_is_a_version_once_it_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maas_client.model_calls.MIN_PAUSE_S", 0.01)
    told: list[str | None] = []
    with (
        StandIn(Answer.of(202, VERSION), Answer.of(200, VERSION), ready()) as server,
        Client(server.url, KEY) as client,
    ):
        version = client.models.push(
            b"onnx",
            name="scores",
            license="MIT",
            labels={"a": "b"},
            card="# Card",
            told=lambda one: told.append(one.stage),
        )
    assert (version.key, version.state, version.license) == ("scores@2", "ready", "MIT")
    assert version.created_at == datetime(2026, 11, 20, 11, 6, 25, tzinfo=UTC)
    assert told == ["trial run", "trial run"]
    assert [(one.method, one.path) for one in server.asked] == [
        ("POST", "/v1/models"),
        ("GET", "/v1/models/scores/versions/2"),
        ("GET", "/v1/models/scores/versions/2"),
    ]
    assert form_of(server.asked[0].headers, server.asked[0].body) == {
        "name": "scores",
        "license": "MIT",
        "card": "# Card",
        "labels": '{"a": "b"}',
        "file": "onnx",
    }


def test_a_pipeline_is_sent_with_its_members() -> None:
    declared = {"accepts": ["document"], "steps": [], "output": {"text": "input.text"}}
    with StandIn(Answer.of(202, VERSION)) as server, Client(server.url, KEY) as client:
        client.models.push(pipeline=declared, members={"a": "b@1"}, name="scores", license="MIT", wait=0)
    sent = form_of(server.asked[0].headers, server.asked[0].body)
    assert (json.loads(sent["pipeline"]), json.loads(sent["members"])) == (declared, {"a": "b@1"})
    assert "file" not in sent


def test_a_url_is_sent_in_place_of_a_file() -> None:
    url = "https://example.com/scores.onnx"
    with StandIn(Answer.of(202, VERSION)) as server, Client(server.url, KEY) as client:
        client.models.push(url=url, name="scores", license="MIT", wait=0)
        for both in ({"file": b"onnx", "url": url}, {}):
            with pytest.raises(TypeError, match="exactly one of a file, url"):
                client.models.push(name="scores", license="MIT", **both)  # type: ignore[arg-type]
    (asked,) = server.asked
    assert form_of(asked.headers, asked.body) == {"name": "scores", "license": "MIT", "url": url}


def form_of(headers: Mapping[str, str], body: bytes) -> dict[str, str]:
    kind, _, boundary = headers["Content-Type"].partition("; boundary=")
    assert kind == "multipart/form-data"
    found = {}
    for part in body.decode().split(f"--{boundary}")[1:-1]:
        head, _, value = part.partition("\r\n\r\n")
        found[head.split('name="')[1].split('"')[0]] = value.removesuffix("\r\n")
    return found


def test_a_refusal_says_the_node_and_what_to_do() -> None:
    with (
        StandIn(Answer.of(202, VERSION), Answer.of(200, REFUSED)) as server,
        Client(server.url, KEY) as client,
        pytest.raises(ModelRefused) as refused,
    ):
        client.models.push(b"onnx", name="scores", license="MIT")
    assert refused.value.code == "operator_not_allowed"
    assert str(refused.value) == (
        "Version 2 of model scores is refused: Operator 'x.Y' is not allowed. Node: n7. "
        "Use standard ONNX operators. (operator_not_allowed)"
    )
    assert refused.value.version.data["report"] == REFUSED["report"]


def test_waiting_for_a_check_may_time_out_and_the_check_continues() -> None:
    late = pytest.raises(ModelTimedOut, match=r"scores is still validating \(trial run\)")
    with StandIn(Answer.of(200, VERSION)) as server, Client(server.url, KEY) as client, late:
        client.models.wait_ready("scores", 2, seconds=0)


def test_an_alias_moves_only_from_the_version_that_is_expected() -> None:
    moved = Answer.of(200, {"alias": "champion", "version": 2, "previous": 1, "moved_at": "2026-11-20T11:06:25Z"})
    taken = Answer.of(409, {"code": "alias_moved", "detail": "It names version 3."})
    with StandIn(moved, taken) as server, Client(server.url, KEY) as client:
        alias = client.models.move_alias("scores", "champion", 2, if_version=1)
        assert (alias.alias, alias.version, alias.previous) == ("champion", 2, 1)
        with pytest.raises(Conflict):
            client.models.move_alias("scores", "champion", 2, if_version=1)
    assert (server.asked[0].method, server.asked[0].path) == ("PUT", "/v1/models/scores/aliases/champion")
    assert json.loads(server.asked[0].body) == {"version": 2, "if_version": 1}


def test_the_past_of_an_alias_is_asked_by_its_time() -> None:
    with StandIn(Answer.of(200, {"data": []})) as server, Client(server.url, KEY) as client:
        assert client.models.history("a/b", "champion", at=datetime(2026, 3, 3, 14, 3, tzinfo=UTC)) == []
    assert server.asked[0].path == "/v1/models/a%2Fb/aliases/champion/history?at=2026-03-03T14%3A03%3A00%2B00%3A00"


def test_a_task_that_fails_is_an_error_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maas_client.model_calls.MIN_PAUSE_S", 0.01)
    failed = Answer.of(200, {**TASK, "state": "failed", "error": {"code": "out_of_memory", "detail": "No memory."}})
    with StandIn(Answer.of(202, TASK), Answer.of(200, TASK), failed) as server, Client(server.url, KEY) as client:
        task = client.models.optimize("scores", 2, transformations=["int8_dynamic"])
        with pytest.raises(TaskFailed, match=r"Task t failed: No memory\. \(out_of_memory\)"):
            client.models.wait_task("scores", task.id)
    assert json.loads(server.asked[0].body) == {"transformations": ["int8_dynamic"]}


def test_coroutines_push_as_well() -> None:
    async def pushed(url: str) -> str:
        async with AsyncClient(url, KEY) as client:
            return (await client.models.push(b"onnx", name="scores", license="MIT")).key

    with StandIn(Answer.of(202, VERSION), ready()) as server:
        assert asyncio.run(pushed(server.url)) == "scores@2"


def test_both_clients_have_the_same_methods() -> None:
    assert {name for name in vars(Models) if name[0] != "_"} == {name for name in vars(AsyncModels) if name[0] != "_"}
