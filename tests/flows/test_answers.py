"""Tests what a client library uses: the OpenAPI document, OpenAI's list of models, and the shape that all errors
share.
"""

import json
from typing import Any

import httpx
import pytest
from openapi_spec_validator import validate

from .caller import Caller, assert_problem

JSON = {"Content-Type": "application/json"}
DEEP = 100_000
WRONG_BODIES = [
    b"",
    b"{",
    b"null",
    b"[1]",
    b'"parse"',
    b'{"model": "\xff\xfe"}',
    b'{"model": "parse", "input": "a\\u0000b"}',
    b'{"model": "pa\\u0000rse", "input": "a"}',
    b'{"model": "parse", "input": "\\ud800"}',
    b'{"model": "parse", "input": "a", "parameters": {"\\u0000": 1}}',
    b'{"model": "parse", "input": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    b"[" * DEEP,
    b'{"a":' * DEEP,
    b'{"model": "parse", "input": ' + b"9" * 5000 + b"}",
    b'{"model": "parse", "input": NaN}',
    b'{"model": "parse"}',
    b'{"model": "parse", "input": "a", "document": "00000000-0000-0000-0000-000000000000"}',
    b'{"model": "parse", "input": "a", "unknown": 1}',
]
_WRONG_VALUES: dict[str, list[object]] = {
    "model": [None, [], {}, "", "x" * 200],
    "input": [1, None, True, {}, [1], {"a": 1}],
    "document": ["x", "", [], {}],
    "parameters": [1, "x", [], None],
}
WRONG_FIELDS = [
    json.dumps({"model": "parse", "input": "a", field: value}).encode()
    for field, values in _WRONG_VALUES.items()
    for value in values
]


def test_the_openapi_document_is_valid(caller: Caller) -> None:
    document = httpx.get(f"{caller.url}/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    validate(document)


def test_models_have_the_shape_that_openais_client_reads(caller: Caller) -> None:
    listed = caller.get("/v1/models")
    assert listed["object"] == "list"
    for model in listed["data"]:
        assert model["object"] == "model"
        assert isinstance(model["id"], str)
        assert isinstance(model["created"], int)
        assert isinstance(model["owned_by"], str)
        assert caller.get(f"/v1/models/{model['id']}") == model
    assert {"ocr", "embed", "parse"} <= {model["id"] for model in listed["data"]}


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1", 404, "not_found"),
        ("GET", "/v1/nothing", 404, "not_found"),
        ("GET", "/v1/jobs/", 404, "not_found"),
        ("GET", "/v1/models/%00", 404, "model_not_found"),
        ("GET", "/v1/models/%FF", 404, "model_not_found"),
        ("GET", "/v1/models/parse@99", 404, "model_not_found"),
        ("GET", "/v1/jobs/%00", 404, "not_found"),
        ("GET", "/v1/jobs/nonsense", 404, "not_found"),
        ("GET", "/v1/documents/%F0%9F%98%80", 404, "not_found"),
        ("PUT", "/v1/jobs", 405, "method_not_allowed"),
        ("DELETE", "/v1/models", 405, "method_not_allowed"),
        ("GET", "/v1/tickets", 405, "method_not_allowed"),
        ("GET", "/v1/jobs?limit=0", 400, "invalid_request"),
        ("GET", "/v1/jobs?limit=101", 400, "invalid_request"),
        ("GET", "/v1/jobs?limit=" + "9" * 5000, 400, "invalid_request"),
        ("GET", "/v1/jobs?limit=nonsense", 400, "invalid_request"),
        ("GET", "/v1/jobs?cursor=nonsense", 400, "invalid_cursor"),
        ("GET", "/v1/jobs?cursor=%00", 400, "invalid_cursor"),
        ("GET", "/v1/jobs?state=nonsense", 400, "invalid_request"),
        ("GET", "/v1/documents?cursor=" + "a" * 5000, 400, "invalid_cursor"),
        ("GET", "/v1/models?api_key=nonsense", 400, "key_in_query"),
        ("GET", "/ws/v1/events", 404, "not_found"),
    ],
)
def test_a_wrong_address_is_a_problem(caller: Caller, method: str, path: str, status: int, code: str) -> None:
    assert_problem(caller.http.request(method, path), status, code)


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Accept": "text/html"}, 406, "not_acceptable"),
        ({"Host": "evil.example"}, 400, "invalid_request"),
        ({"Authorization": ""}, 401, "not_authenticated"),
        ({"Authorization": "Basic YTpi"}, 401, "not_authenticated"),
        ({"Authorization": "Bearer nonsense"}, 401, "invalid_api_key"),
        ({"Authorization": b"Bearer \xff\xfe"}, 401, "invalid_api_key"),
    ],
)
def test_wrong_headers_are_a_problem(caller: Caller, headers: dict[str, Any], status: int, code: str) -> None:
    assert_problem(caller.http.get("/v1/jobs", headers=headers), status, code)


@pytest.mark.parametrize("body", [*WRONG_BODIES, *WRONG_FIELDS], ids=lambda body: ascii(body[:40]))
def test_a_wrong_body_is_a_problem(caller: Caller, body: bytes) -> None:
    assert_problem(caller.http.post("/v1/jobs", content=body, headers=JSON), 400, "invalid_request")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"model": "nonsense", "input": "a"}, 404, "model_not_found"),
        ({"model": "parse@" + "9" * 50, "input": "a"}, 404, "model_not_found"),
        ({"model": "parse", "input": " "}, 422, "input_empty"),
        ({"model": "embed", "input": []}, 422, "input_empty"),
        ({"model": "ocr", "input": "a"}, 422, "input_not_accepted"),
        ({"model": "parse", "input": {"tensors": []}}, 422, "input_not_accepted"),
        ({"model": "parse", "input": "a", "parameters": {"min_confidence": 2}}, 422, "invalid_parameter"),
        ({"model": "parse", "input": "a", "parameters": {"unknown": 1}}, 422, "invalid_parameter"),
        ({"model": "parse", "document": "00000000-0000-0000-0000-000000000000"}, 404, "not_found"),
    ],
)
def test_a_body_that_asks_for_the_impossible_is_a_problem(
    caller: Caller, body: dict[str, Any], status: int, code: str
) -> None:
    assert_problem(caller.http.post("/v1/jobs", json=body), status, code)


@pytest.mark.parametrize("content_type", ["text/csv", "application/x-www-form-urlencoded", "application/xml"])
def test_a_body_of_another_type_is_a_problem(caller: Caller, content_type: str) -> None:
    answer = caller.http.post("/v1/jobs", content=b"a=b", headers={"Content-Type": content_type})
    assert_problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"model": "parse", "unknown": "1"},
        {"model": "parse", "parameters": "{"},
        {"model": "parse", "parameters": "[]"},
        {"model": "parse", "parameters": '{"min_confidence":' + "[" * 9000 + "]" * 9000 + "}"},
        {"model": "parse", "parameters": "x" * 70_000},
    ],
    ids=lambda fields: ascii(fields)[:40],
)
def test_a_wrong_form_is_a_problem(caller: Caller, fields: dict[str, str]) -> None:
    answer = caller.http.post("/v1/jobs", data=fields, files={"file": ("a.txt", b"A good file, badly described")})
    assert_problem(answer, 400, "invalid_request")


def test_a_callers_own_request_id_comes_back_and_a_dangerous_one_does_not(caller: Caller) -> None:
    kept = caller.http.get("/v1/nothing", headers={"X-Request-Id": "order-4711"})
    assert assert_problem(kept, 404, "not_found")["request_id"] == "order-4711"
    replaced = caller.http.get("/v1/nothing", headers={"X-Request-Id": "a b<script>"})
    assert "script" not in assert_problem(replaced, 404, "not_found")["request_id"]
