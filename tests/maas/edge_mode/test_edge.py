"""Tests of edge mode from outside: one process, an empty folder, and no service that could be reached."""

import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.inference.pipelines.declarations import CLASSIFIER, save_colors
from tests.inference.runtime.graphs import save_adder
from tests.maas.edge_mode.edge_process import STOPS_WITHIN_S, EdgeProcess
from tests.maas.raw_http import RawRequest
from tests.samples.images import drawn_page, encoded
from tests.samples.pdfs import many_pages_pdf, one_broken_page_pdf, scanned_pdf, text_pdf
from tests.waiting import eventually

KEY = "a key that is long enough"
JSON = {"Content-Type": "application/json"}
PDF = {"Content-Type": "application/pdf"}
ADDED = {"name": "x", "datatype": "FP32", "shape": [1, 2], "data": [1.0, 2.0]}
MAX_JSON_BYTES, MAX_DOCUMENT_BYTES = 100_000, 6_000_000


@pytest.fixture(scope="module")
def long() -> bytes:
    """A scan that takes seconds to read."""
    return scanned_pdf(*(f"Page {number} of many" for number in range(10)), dpi=100)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    save_adder(folder / "adder.onnx", floats=2)
    save_colors(folder / "colors.onnx")
    (folder / "classify.json").write_text(json.dumps(CLASSIFIER))
    return folder


@pytest.fixture(scope="module")
def edge(files: Path) -> Iterator[EdgeProcess]:
    arguments = (
        *("--onnx", f"adder={files / 'adder.onnx'}", "--onnx", f"colors={files / 'colors.onnx'}"),
        *("--graph", f"classify={files / 'classify.json'}", "--member", "classify.colors=colors"),
    )
    limits = {
        "MAAS_MAX_INLINE_BYTES": str(MAX_JSON_BYTES),
        "MAAS_MAX_UPLOAD_BYTES": str(MAX_DOCUMENT_BYTES),
    }
    with EdgeProcess(files / "home", *arguments, **limits) as process:
        yield process


@pytest.fixture
def client(edge: EdgeProcess) -> Iterator[httpx.Client]:
    with edge.client() as client:
        yield client


@pytest.fixture(scope="module")
def adder(files: Path) -> Iterator[EdgeProcess]:
    """Yield an edge with one small model and one slot for work, behind a key."""
    arguments = ("--models", "", "--onnx", f"adder={files / 'adder.onnx'}", "--at-once", "1")
    with EdgeProcess(files / "other", *arguments, key=KEY) as process:
        yield process


def page_of(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["object"], body["state"], body["pages_total"]) == ("result", "succeeded", 1)
    return body["pages"][0]


def problem_of(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == answer.status_code
    assert body["type"] == f"/errors/{body['code']}"
    assert body["request_id"] == answer.headers["x-request-id"]
    return answer.status_code, body["code"]


def test_every_model_is_listed_with_what_it_takes(client: httpx.Client) -> None:
    models = {one["id"]: one for one in client.get("/v1/models").json()["data"]}
    assert list(models) == ["ocr", "embed", "parse", "adder", "colors", "classify"]
    assert models["parse"]["accepts"] == ["document", "text"]
    assert models["adder"]["signature"]["inputs"][0]["name"] == "x"
    assert [one["name"] for one in models["classify"]["signature"]["outputs"]] == ["label", "score", "top"]
    assert client.get("/v1/models/parse").json() == models["parse"]


def test_text_is_parsed(client: httpx.Client) -> None:
    body = {"text": "Invoice no. 7\nTotal due: 12 EUR", "parameters": {"include_embedding": False}}
    page = page_of(client.post("/v1/models/parse/run", json=body))
    assert page["text"] == body["text"]
    assert page["class"]["label"] == "invoice"
    assert "embedding" not in page
    assert set(page["timings"]["steps_ms"]) >= {"layout", "class"}


def test_texts_are_embedded(client: httpx.Client) -> None:
    page = page_of(client.post("/v1/models/embed/run", json={"texts": ["one", "two"]}))
    assert [len(vector) for vector in page["embeddings"]] == [384, 384]


def test_tensors_go_through_an_added_file(client: httpx.Client) -> None:
    page = page_of(client.post("/v1/models/adder/run", json={"tensors": [ADDED]}))
    assert page["outputs"][0]["data"] == [2.0, 3.0]


def test_scan_is_read_page_by_page_in_order(client: httpx.Client) -> None:
    answer = client.post("/v1/models/ocr/run", content=scanned_pdf("First page", "Second page", dpi=400), headers=PDF)
    body = answer.json()
    assert [page["number"] for page in body["pages"]] == [1, 2]
    assert body["text"] == "First page\n\nSecond page"
    assert body["pages"][0]["lines"][0]["confidence"] > 0.5


def test_text_layer_of_a_pdf_is_taken_as_it_is(client: httpx.Client) -> None:
    words = "Dear Anna, it was lovely to see you last week"
    page = page_of(client.post("/v1/models/parse/run", content=text_pdf(words), headers=PDF))
    assert (page["text"], page["source"]) == (words, "text_layer")


def test_picture_is_read_and_classified(client: httpx.Client) -> None:
    picture = encoded(drawn_page("Seen on a picture", (900, 400)), "PNG")
    for kind in ("image/png", "application/octet-stream"):
        page = page_of(client.post("/v1/models/ocr/run", content=picture, headers={"Content-Type": kind}))
        assert page["text"] == "Seen on a picture"
    page = page_of(client.post("/v1/models/classify/run", content=picture, headers={"Content-Type": "image/png"}))
    assert page["label"] in ("red", "green", "blue")


def test_parameters_of_a_document_come_in_the_query(client: httpx.Client) -> None:
    scan = scanned_pdf("Seen", dpi=400)
    sure = client.post("/v1/models/ocr/run?min_confidence=1", content=scan, headers=PDF)
    assert page_of(sure)["text"] == ""
    wrong = client.post("/v1/models/ocr/run?min_confidence=high", content=scan, headers=PDF)
    assert problem_of(wrong) == (422, "invalid_parameter")
    twice = client.post("/v1/models/ocr/run?min_confidence=1&min_confidence=0", content=scan, headers=PDF)
    assert problem_of(twice) == (400, "invalid_request")


def test_page_that_cannot_be_read_fails_alone(client: httpx.Client) -> None:
    body = client.post("/v1/models/parse/run", content=one_broken_page_pdf(), headers=PDF).json()
    states = [page["state"] for page in body["pages"]]
    assert body["state"] == "partially_succeeded"
    assert {"failed", "succeeded"} == set(states)
    assert all(page["error"]["code"] for page in body["pages"] if page["state"] == "failed")


BODY: dict[str, Any] = {"text": "x"}


@pytest.mark.parametrize(
    ("path", "sent", "problem"),
    [
        ("nobody", {"json": BODY}, (404, "model_not_found")),
        ("parse", {"json": {"tensors": [ADDED]}}, (422, "input_not_accepted")),
        ("parse", {"json": {"text": "x", "parameters": {"color": 1}}}, (422, "invalid_parameter")),
        ("parse", {"json": {"text": "x", "parameters": 3}}, (400, "invalid_request")),
        ("parse", {"json": {"text": "x", "texts": ["y"]}}, (400, "invalid_request")),
        ("parse", {"json": {"text": "  "}}, (422, "input_empty")),
        ("parse", {"json": ["x"]}, (400, "invalid_request")),
        ("parse", {"content": b"{", "headers": JSON}, (400, "invalid_request")),
        ("parse", {"content": b"[" * 90_000, "headers": JSON}, (400, "invalid_request")),
        ("parse", {"content": b"", "headers": JSON}, (400, "invalid_request")),
        ("adder", {"json": {"tensors": [{**ADDED, "shape": [3]}]}}, (422, "invalid_tensor")),
        ("adder", {"json": {"tensors": [{**ADDED, "name": "z"}]}}, (422, "invalid_tensor")),
        ("adder", {"content": text_pdf("x"), "headers": PDF}, (422, "input_not_accepted")),
        ("ocr", {"content": b"plain words", "headers": {"Content-Type": "text/plain"}}, (422, "input_not_accepted")),
        ("parse", {"content": b"x"}, (415, "unsupported_media_type")),
        ("parse", {"files": {"file": b"x"}}, (415, "unsupported_media_type")),
        ("parse", {"data": {"text": "x"}}, (415, "unsupported_media_type")),
        ("parse", {"content": b"no pdf \x00\x01", "headers": PDF}, (415, "unsupported_type")),
        ("parse", {"content": b"%PDF-1.7 and no more", "headers": PDF}, (422, "document_corrupt")),
        ("parse", {"content": b"", "headers": PDF}, (422, "document_empty")),
        ("parse", {"json": {"text": "x" * MAX_JSON_BYTES}}, (413, "request_too_large")),
        ("parse", {"content": b"x" * (MAX_DOCUMENT_BYTES + 1), "headers": PDF}, (413, "document_too_large")),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told_with_a_code(
    client: httpx.Client, path: str, sent: dict[str, Any], problem: tuple[int, str]
) -> None:
    assert problem_of(client.post(f"/v1/models/{path}/run", **sent)) == problem


def test_body_that_does_not_say_its_size_is_cut_off_at_the_limit(edge: EdgeProcess) -> None:
    head = "POST /v1/models/parse/run HTTP/1.1\nContent-Type: application/json\nTransfer-Encoding: chunked"
    with RawRequest(edge.port, head) as request:
        request.send_until_refused(b"%x\r\n%s\r\n" % (1000, b" " * 1000), 40 * MAX_JSON_BYTES)
        assert request.answer().status == 413


@pytest.mark.parametrize("content_type", ["application/json", "application/pdf"])
def test_malformed_chunks_are_refused(edge: EdgeProcess, content_type: str) -> None:
    head = f"POST /v1/models/parse/run HTTP/1.1\nContent-Type: {content_type}\nTransfer-Encoding: chunked"
    with RawRequest(edge.port, head) as request:
        request.send(b"3\r\nabc\r\nzz\r\n")
        answer = request.answer()
    assert (answer.status, json.loads(answer.body)["code"]) == (400, "invalid_request")
    assert "connection: close" in answer.head


def test_other_paths_and_methods_are_not_there(client: httpx.Client) -> None:
    assert problem_of(client.get("/v1/jobs")) == (404, "not_found")
    assert problem_of(client.get("/v1/models/parse/run")) == (405, "method_not_allowed")
    assert problem_of(client.post("/v1/models")) == (405, "method_not_allowed")


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}])
def test_pages_in_a_browser_cannot_use_a_server_without_a_key(client: httpx.Client, headers: dict[str, str]) -> None:
    answer = client.post("/v1/models/embed/run", json=BODY, headers=headers)
    assert problem_of(answer) == (403, "origin_not_allowed")


@pytest.mark.parametrize("headers", [{"Host": "[::1"}, {"Origin": "http://[nowhere"}])
def test_header_that_names_no_place_is_refused_in_order(client: httpx.Client, headers: dict[str, str]) -> None:
    answer = client.post("/v1/models/embed/run", json=BODY, headers=headers)
    assert problem_of(answer) == (400, "invalid_request")


def test_process_tells_its_metrics_to_those_who_may_call(adder: EdgeProcess) -> None:
    with adder.client() as client:
        page_of(client.post("/v1/models/adder/run", json={"tensors": [ADDED]}))
        answer = client.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain")
        said = answer.text.splitlines()
        assert 'maas_model_loads_total{model="adder@1"} 1.0' in said
        assert any(line.startswith('maas_batch_rows_sum{model="adder@1",part="weights"}') for line in said)
        assert problem_of(client.post("/metrics")) == (405, "method_not_allowed")
    with adder.client(key="") as nobody:
        assert problem_of(nobody.get("/metrics")) == (401, "not_authenticated")


def test_second_start_knows_what_the_first_has_measured(files: Path, tmp_path: Path) -> None:
    arguments = ("--models", "", "--onnx", f"adder={files / 'adder.onnx'}")
    process = EdgeProcess(tmp_path / "home", *arguments)
    with process, process.client() as client:
        page_of(client.post("/v1/models/adder/run", json={"tensors": [ADDED]}))
    assert "row_independence_tested" in process.said()
    (kept,) = (tmp_path / "home" / "edge" / "profiles").iterdir()
    profile = json.loads(kept.read_text())
    assert profile["loaded_bytes"] > 0
    assert profile["fit"]
    with EdgeProcess(tmp_path / "home", *arguments) as again:
        pass
    assert "row_independence_tested" not in again.said()


def test_key_is_asked_for_where_there_is_one(adder: EdgeProcess) -> None:
    with adder.client(key="") as nobody:
        missing = nobody.post("/v1/models/adder/run", json={"tensors": [ADDED]})
        assert problem_of(missing) == (401, "not_authenticated")
        assert missing.headers["www-authenticate"].startswith("Bearer")
        assert problem_of(nobody.get("/v1/models")) == (401, "not_authenticated")
        assert nobody.get("/livez").status_code == nobody.get("/readyz").status_code == 200
    with adder.client(key=KEY[:-1]) as wrong:
        assert problem_of(wrong.get("/v1/models")) == (401, "invalid_api_key")
    with adder.client() as right:
        headers = {"Host": "edge.example", "Origin": "https://app.example"}
        page_of(right.post("/v1/models/adder/run", json={"tensors": [ADDED]}, headers=headers))


def test_more_calls_than_there_are_places_are_refused_at_once(adder: EdgeProcess) -> None:
    head = f"""POST /v1/models/adder/run HTTP/1.1
        Authorization: Bearer {KEY}
        Content-Type: application/json
        Content-Length: 1000"""
    slow = [RawRequest(adder.port, head) for _ in range(3)]
    try:
        with adder.client() as client:

            def refused() -> httpx.Response | None:
                answer = client.post("/v1/models/adder/run", json={"tensors": [ADDED]})
                return answer if answer.status_code != 200 else None

            answer = eventually(refused, "a refusal")
            assert problem_of(answer) == (503, "overloaded")
            assert answer.headers["retry-after"] == "1"
            for request in slow:
                request.__exit__(None, None, None)
            eventually(lambda: refused() is None, "places given back by those who hung up")
    finally:
        for request in slow:
            request.__exit__(None, None, None)


def test_caller_who_hangs_up_ends_the_work(edge: EdgeProcess, client: httpx.Client, long: bytes) -> None:
    with pytest.raises(httpx.ReadTimeout):
        client.post("/v1/models/ocr/run", content=long, headers=PDF, timeout=httpx.Timeout(60, read=1))
    eventually(lambda: "client_disconnected" in edge.said(), "the end of the call")
    with ThreadPoolExecutor(8) as callers:
        answers = callers.map(
            lambda _: client.post("/v1/models/adder/run", json={"tensors": [ADDED]}).status_code, range(8)
        )
        assert set(answers) == {200}


def test_answer_that_would_be_late_is_refused_in_time(edge: EdgeProcess) -> None:
    arguments = ("--models", "ocr", "--deadline", "0.05")
    with EdgeProcess(edge.home, *arguments) as hasty, hasty.client() as client:
        answer = client.post("/v1/models/ocr/run", content=many_pages_pdf(20), headers=PDF)
        assert problem_of(answer) == (504, "deadline_exceeded")


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_process_builds_nothing_again_and_stops_within_seconds_whatever_it_is_at(
    number: signal.Signals, edge: EdgeProcess, long: bytes
) -> None:
    process = EdgeProcess(edge.home, "--models", "ocr")
    before = built(edge)
    assert before
    with process, process.client() as client, ThreadPoolExecutor(1) as caller:
        assert built(edge) == before, "what the first start has built is not built again"
        asked = caller.submit(client.post, "/v1/models/ocr/run", content=long, headers=PDF)
        eventually(lambda: list((edge.home / "edge" / "spool").iterdir()), "the document's arrival")
        assert process.end(number) == 0
        assert problem_of(asked.result(STOPS_WITHIN_S)) == (503, "restarting")
    assert not list((edge.home / "edge").glob("**/.part-*"))


def built(edge: EdgeProcess) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (edge.home / "edge" / "builtin").rglob("*.onnx")}


def test_address_that_others_reach_is_not_served_without_a_key(tmp_path: Path) -> None:
    process = EdgeProcess(tmp_path / "home", "--models", "ocr", "--host", "0.0.0.0")
    process.start()
    assert process.process.wait(60) == 1
    assert "cannot run: --host 0.0.0.0 can be reached from other machines" in process.said()
    assert not (tmp_path / "home" / "edge").exists()


def test_model_that_does_not_load_ends_the_process_and_is_named(files: Path, tmp_path: Path) -> None:
    arguments = ("--models", "", "--onnx", f"colors={files / 'colors.onnx'}")
    process = EdgeProcess(tmp_path / "home", *arguments, MAAS_MODEL_MEMORY="1000")
    process.start()
    assert process.process.wait(60) == 1
    assert "edge_model_not_loaded" in process.said()
    assert "model_exceeds_memory" in process.said()


def test_taken_port_is_said(edge: EdgeProcess, tmp_path: Path) -> None:
    process = EdgeProcess(tmp_path / "home", "--models", "ocr")
    process.port = edge.port
    process.start()
    assert process.process.wait(60) == 1
    assert f"{edge.port} on 127.0.0.1 cannot be used" in process.said()
