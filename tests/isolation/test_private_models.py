"""Tests that the model of one account is, for another, like a model that never was."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.flows.caller import Caller
from tests.isolation.belongings import Belongings

TENSOR = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}
REQUESTS: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
    ("GET", "/v1/models/{m}", None),
    ("GET", "/v2/models/{m}", None),
    ("GET", "/v2/models/{m}/ready", None),
    ("GET", "/v2/models/{m}/config", None),
    ("GET", "/v2/models/{m}/stats", None),
    ("GET", "/v2/models/{m}/versions/1", None),
    ("POST", "/v2/models/{m}/infer", {"inputs": [TENSOR]}),
    ("POST", "/v2/models/{m}/versions/1/infer", {"inputs": [TENSOR]}),
    ("POST", "/v1/embeddings", {"model": "{m}", "input": "words"}),
    ("POST", "/v1/jobs", {"model": "{m}", "input": {"tensors": [TENSOR]}}),
    ("POST", "/v1/estimate", {"model": "{m}", "calls": 3}),
    ("POST", "/v1/estimate", {"model": "{m}", "inputs": [TENSOR]}),
)


@pytest.mark.parametrize("suffix", ["", "@1", "@current", "@champion"])
def test_a_private_model_of_another_account_is_answered_like_an_unknown_one(
    caller: Caller, theirs: Belongings, suffix: str
) -> None:
    unknown = "none-" + uuid4().hex[:8]
    for method, path, body in REQUESTS:
        if suffix and "versions/1" in path:
            continue
        answers = [
            _without_names(_sent(caller, method, path, body, name + suffix), name) for name in (theirs.model, unknown)
        ]
        assert answers[0] == answers[1], (method, path)
        assert answers[0][0] in {404, 400}, (method, path, answers[0])


def test_its_owner_runs_it(other_caller: Caller, theirs: Belongings) -> None:
    for reference in (theirs.model, f"{theirs.model}@1", f"{theirs.model}@champion"):
        answer = other_caller.http.post(f"/v2/models/{reference}/infer", json={"inputs": [TENSOR]})
        assert answer.status_code == 200, answer.text
        assert answer.json()["outputs"][0]["data"] == [2, 3, 4, 5]


def test_no_list_names_it(caller: Caller, theirs: Belongings) -> None:
    for address in ("/v1/models", "/v2/models/stats", "/v1/jobs", "/v1/usage"):
        assert theirs.model not in caller.http.get(address).text
    assert theirs.model not in caller.http.post("/v2/repository/index", json={}).text


def _sent(caller: Caller, method: str, path: str, body: dict[str, Any] | None, reference: str) -> httpx.Response:
    told = None if body is None else {name: reference if value == "{m}" else value for name, value in body.items()}
    return caller.http.request(method, path.format(m=reference), json=told)


def _without_names(answer: httpx.Response, name: str) -> tuple[int, list[str]]:
    lines: Iterator[str] = (line for line in answer.text.replace(name, "NAME").split(",") if "request_id" not in line)
    return answer.status_code, sorted(lines)
