"""Test requests that none of our clients would send, on the product's own port."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.flows.product import Account, Product

TENSOR = {"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}
REQUEST = json.dumps({"inputs": [TENSOR]}).encode()


@pytest.fixture
def http(product: Product, account: Account) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {account.key}"}
    with httpx.Client(base_url=f"{product.running.url}/v2", headers=headers, timeout=60) as http:
        yield http


def told(answer: httpx.Response, status: int, code: str) -> str:
    said: dict[str, Any] = answer.json()
    assert (answer.status_code, said["code"]) == (status, code), said
    return str(said["error"])


def test_an_answer_says_where_its_time_went(http: httpx.Client, adder: str) -> None:
    answer = http.post(f"/models/{adder}/infer", content=REQUEST)
    assert answer.json()["outputs"] == [{"name": "y", "shape": [1, 4], "datatype": "FP32", "data": [2, 3, 4, 5]}]
    assert "queue;dur=" in answer.headers["server-timing"]
    assert "content-encoding" not in answer.headers


def test_a_long_answer_in_json_is_compressed_for_who_takes_it(http: httpx.Client, adder: str) -> None:
    rows = {**TENSOR, "shape": [200, 4], "data": [1.5] * 800}
    answer = http.post(f"/models/{adder}/infer", json={"inputs": [rows]})
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "accept-encoding"
    assert answer.json()["outputs"][0]["data"] == [2.5] * 800


def test_a_bomb_is_let_out_no_further_than_the_limit(http: httpx.Client, adder: str) -> None:
    bomb = gzip.compress(b" " * (64 << 20))
    answer = http.post(f"/models/{adder}/infer", content=bomb, headers={"Content-Encoding": "gzip"})
    assert "once it is decompressed" in told(answer, 413, "request_too_large")


@pytest.mark.parametrize(
    ("content", "headers", "words"),
    [
        (REQUEST, {"Inference-Header-Content-Length": "100000"}, "must be how many of the body's"),
        (REQUEST, {"Inference-Header-Content-Length": "-1"}, "must be how many of the body's"),
        (REQUEST, {"Inference-Header-Content-Length": "ten"}, "must be how many of the body's"),
        (
            REQUEST + b"1234",
            {"Inference-Header-Content-Length": str(len(REQUEST))},
            "4 bytes of the body belong",
        ),
        (REQUEST, {"Content-Encoding": "gzip"}, "is not gzip"),
        (REQUEST.replace(b"FP32", b"BF16"), {}, "unknown datatype 'BF16'; use one of BOOL, FP16"),
        (b"", {}, "cannot be read as JSON"),
        (b'{"inputs": ' + b"[" * 1_000_000, {}, "cannot be read as JSON"),
        (b"\xff\xfe" * 100, {}, "cannot be read as JSON"),
    ],
)
def test_a_body_that_does_not_add_up_is_refused(
    http: httpx.Client, adder: str, content: bytes, headers: dict[str, str], words: str
) -> None:
    answer = http.post(f"/models/{adder}/infer", content=content, headers=headers)
    assert words in told(answer, 400, "invalid_request")


def test_more_json_than_is_read_is_refused_with_the_way_out(http: httpx.Client, adder: str) -> None:
    answer = http.post(f"/models/{adder}/infer", content=REQUEST + b" " * (8 << 20))
    assert "binary data extension" in told(answer, 413, "request_too_large")
    told(http.post("/repository/index", content=b" " * 5000), 413, "request_too_large")
    packed = http.post("/repository/index", content=b"{}", headers={"Content-Encoding": "gzip"})
    told(packed, 415, "unsupported_media_type")


def test_other_paths_and_methods_are_refused(http: httpx.Client, adder: str) -> None:
    told(http.get("/nothing"), 404, "not_found")
    told(http.get(f"/models/{adder}/infer"), 405, "method_not_allowed")
    told(http.post("/health/live"), 405, "method_not_allowed")
    told(http.get("/models/no%2Fname"), 404, "not_found")
    told(http.get("/models/%00"), 404, "model_not_found")
    told(http.get(f"/models/{adder}/versions/{'9' * 400}"), 404, "model_not_found")


def test_the_index_may_be_asked_for_what_is_ready(http: httpx.Client, adder: str) -> None:
    names = {one["name"] for one in http.post("/repository/index", json={"ready": True}).json()}
    assert adder in names
    told(http.post("/repository/index", content=b"[]"), 400, "invalid_request")


def test_a_key_is_wanted_before_anything_is_read(product: Product, adder: str) -> None:
    answer = httpx.post(f"{product.running.url}/v2/models/{adder}/infer", content=REQUEST)
    told(answer, 401, "not_authenticated")
