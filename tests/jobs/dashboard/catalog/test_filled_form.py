"""Test that the playground's form is read into a call, or refused with an explanation."""

import json

import pytest

from jobs.dashboard.catalog.filled_form import MAX_CHARACTERS, call_in, example_call
from jobs.dashboard.catalog.snippets.call import Call
from tenants.core.errors import InvalidRequest


def read(kind: str, value: object, **parameters: object) -> Call:
    body = json.dumps({"kind": kind, "value": value, "parameters": parameters})
    return call_in(body.encode(), model="m", runtime="embed")


def test_each_kind_becomes_what_the_api_takes() -> None:
    assert read("document", "a.pdf") == Call("m", "embedding", file_name="a.pdf")
    assert read("text", "a") == Call("m", "embedding", input="a")
    assert read("texts", ["a", "b"]) == Call("m", "embeddings", input=["a", "b"])
    assert read("tensors", '[{"name": "x"}]').input == {"tensors": [{"name": "x"}]}


def test_a_file_that_is_not_chosen_yet_has_an_example_name() -> None:
    assert read("document", "").file_name == "scan.pdf"


def test_the_sample_has_its_own_name_whatever_the_form_calls_it() -> None:
    body = json.dumps({"kind": "document", "value": "$(id).jpg", "sample": True, "parameters": {}})
    call = call_in(body.encode(), model="m", runtime="ocr")
    assert call == Call("m", "text", file_name="sample-scan.jpg", sample=True)


def test_a_priority_is_kept_unless_it_is_the_usual_one() -> None:
    def priority(sent: object) -> str:
        body = json.dumps({"kind": "text", "value": "a", "parameters": {}, "priority": sent})
        return call_in(body.encode(), model="m", runtime="embed").priority

    assert [priority("bulk"), priority("standard")] == ["bulk", ""]
    for wrong in ("$(id)", "", 1, None, ["bulk"]):
        with pytest.raises(InvalidRequest, match="interactive, standard, bulk"):
            priority(wrong)


def test_parameters_are_kept() -> None:
    assert read("text", "a", min_confidence=0.6).parameters == {"min_confidence": 0.6}


@pytest.mark.parametrize(
    "body",
    ["", "[]", "{", '{"kind": "text", "value": "a"}', '{"kind": "?", "value": "a", "parameters": {}}'],
)
def test_what_is_no_form_is_refused(body: str) -> None:
    with pytest.raises(InvalidRequest):
        call_in(body.encode(), model="m", runtime="embed")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("[1,", "not JSON"),
        ("[NaN]", "NaN"),
        ("[1e999]", "too large"),
        ("[" * 30 + "]" * 30, "nested deeper"),
        ("[" * 9_000, "nested too deeply"),
    ],
    ids=["broken", "nan", "infinite", "deep", "deepest"],
)
def test_tensors_that_are_none_are_refused_in_words(written: str, words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        read("tensors", written)


def test_a_form_with_much_in_it_gets_no_code() -> None:
    with pytest.raises(InvalidRequest, match="20,000 characters"):
        read("text", "a" * MAX_CHARACTERS)


def test_every_kind_has_an_example() -> None:
    signature = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [-1]}]}
    for kind in ("document", "text", "texts", "tensors"):
        call = example_call("m", "onnx", kind, signature)
        assert call.file_name or call.input
