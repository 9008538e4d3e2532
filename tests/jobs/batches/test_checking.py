"""Tests of files with odd lines: each fault is reported, and no more than a line of the file is held in memory."""

import io
import json

import pytest

from jobs.batches import checking
from jobs.batches.checking import MAX_FAULTS, FileCheck
from jobs.batches.line_parsing import ENVELOPE_BYTES, BatchLine, weight_of

MAX_BODY = 1 << 20


def call(custom_id: object, body: object = None, **more: object) -> bytes:
    body = {"model": "embed", "input": "a"} if body is None else body
    said = {"custom_id": custom_id, "method": "POST", "url": "/v1/embeddings", "body": body, **more}
    return json.dumps(said).encode()


def checked(content: bytes, endpoint: str = "/v1/embeddings") -> tuple[FileCheck, list[int]]:
    taken: list[int] = []
    check = FileCheck(endpoint, MAX_BODY, lambda _, line: taken.append(line.number))
    check.check(io.BytesIO(content))
    return check, taken


def codes(content: bytes) -> list[tuple[int | None, str]]:
    return [(fault["line"], fault["code"]) for fault in checked(content)[0].faults]


def test_lines_are_counted_as_an_editor_counts_them_and_empty_ones_are_no_fault() -> None:
    check, taken = checked(b"\xef\xbb\xbf" + call("a") + b"\r\n\r\n  \n" + call("b"))
    assert (check.faults, check.count, check.model, taken) == ([], 2, "embed", [1, 4])


@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf", b" \r\n\t\n"])
def test_a_file_without_lines_is_empty(content: bytes) -> None:
    assert codes(content) == [(None, "empty_file")]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", "invalid_json_line"),
        (b"null", "invalid_json_line"),
        (b'"\xff"', "invalid_json_line"),
        (b"[" * 90_000, "invalid_json_line"),
        (b"[" * 200_000, "invalid_json_line"),
        (b'{"a": ' * 50_000, "invalid_json_line"),
        (b"\x00", "invalid_json_line"),
        (call(None), "missing_required_parameter"),
        (call(7), "invalid_type"),
        (call(""), "invalid_type"),
        (call("c" * 513), "invalid_value"),
        (call("a", method="post"), "invalid_method"),
        (call("a", method=["POST"]), "invalid_method"),
        (call("a", url="/v1/embeddings/"), "invalid_url"),
        (call("a", url={}), "invalid_url"),
        (call("a", [1]), "invalid_type"),
        (call("a", {"input": "a"}), "missing_required_parameter"),
        (call("a", {"model": 1}), "invalid_type"),
        (call("a", {"model": "embed", "input": "x" * (MAX_BODY + ENVELOPE_BYTES)}), "request_too_large"),
    ],
    ids=range(19),
)
def test_a_fault_is_told_with_its_line(line: bytes, code: str) -> None:
    check, taken = checked(call("good") + b"\n" + line + b"\n" + call("fine"))
    assert [(fault["line"], fault["code"]) for fault in check.faults] == [(2, code)]
    assert len(check.faults[0]["message"]) < 300
    assert taken == [1]


def test_a_line_without_end_is_never_held_whole() -> None:
    class Endless:
        left = 100

        def readline(self, max_bytes: int) -> bytes:
            assert max_bytes <= MAX_BODY + ENVELOPE_BYTES + 1
            self.left -= 1
            return b"x" * max_bytes if self.left > 0 else b""

    check = FileCheck("/v1/embeddings", MAX_BODY, lambda *_: None)
    check.check(Endless())
    assert [fault["code"] for fault in check.faults] == ["request_too_large"]


def test_half_a_character_in_an_id_is_an_id() -> None:
    assert codes(call("\ud800") + b"\n" + call("\ud800")) == [(2, "duplicate_custom_id")]


def test_all_lines_ask_one_model() -> None:
    assert codes(call("a") + b"\n" + call("b", {"model": "other"})) == [(2, "mismatched_model")]


def test_the_address_may_name_the_model() -> None:
    url = "/v2/models/embed/versions/2/infer"
    check, _ = checked(call("a", {"inputs": []}, url=url), url)
    assert (check.faults, check.model) == ([], "embed@2")


def test_so_many_faults_are_told_and_no_more() -> None:
    assert len(codes(b"{\n" * 1000)) == MAX_FAULTS


def test_more_lines_than_a_batch_has_are_refused_at_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "MAX_LINES", 3)
    content = b"\n".join(call(f"{number}") for number in range(9))
    assert codes(content) == [(4, "max_requests_exceeded")]


def test_a_line_weighs_what_it_asks_for() -> None:
    def weight(given: object, size_bytes: int = 10) -> int:
        return weight_of(BatchLine(1, "a", {"input": given}, "embed"), size_bytes)

    assert weight("one text") == 1
    assert weight(["a"] * 50) == 50
    assert weight([1, 2, 3]) == 1
    assert weight("long", 40960) == 11
