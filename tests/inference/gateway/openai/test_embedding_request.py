import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.core.contracts import TextInput, TokenInput
from inference.gateway.openai.embedding_request import EmbeddingRequest, read_request
from tenants.core.errors import DomainError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def read(**fields: Any) -> EmbeddingRequest:
    return read_request(json.dumps({"model": "embed", "input": "a", **fields}).encode())


def refusal_of(body: bytes) -> DomainError:
    with pytest.raises(DomainError) as refusal:
        read_request(body)
    return refusal.value


@pytest.mark.parametrize(
    ("written", "work"),
    [
        ("a text", TextInput(("a text",), single=True)),
        (["a", "b"], TextInput(("a", "b"), single=False)),
        ([7, 8], TokenInput(((7, 8),), single=True)),
        ([[7, 8], [9]], TokenInput(((7, 8), (9,)), single=False)),
    ],
)
def test_input_has_four_forms(written: Any, work: TextInput | TokenInput) -> None:
    assert read(input=written).work == work


def test_what_is_left_out_is_as_openai_has_it() -> None:
    assert read() == read(encoding_format=None, dimensions=None, user=None)
    assert read() == EmbeddingRequest("embed", TextInput(("a",), single=True))


def test_options_are_read() -> None:
    asked = read(encoding_format="base64", dimensions=64, user="somebody")
    assert (asked.in_base64, asked.dimensions) == (True, 64)
    assert not read(encoding_format="float").in_base64


@pytest.mark.parametrize(
    ("fields", "param", "words"),
    [
        ({"model": None}, "model", "Missing required parameter: 'model'"),
        ({"model": 3}, "model", "'model' must be a text; it is 3"),
        ({"input": None}, "input", "Missing required parameter: 'input'"),
        ({"input": 5}, "input", "it is 5"),
        ({"input": {"text": "a"}}, "input", "it is an object"),
        ({"input": ["a", 1]}, "input", "there is 1 in the list"),
        ({"input": [1, True]}, "input", "there is true in the list"),
        ({"input": [1.5]}, "input", "there is 1.5 in the list"),
        ({"input": [None]}, "input", "there is null in the list"),
        ({"input": [[1], [None]]}, "input", "'input[1]' must be a list of token ids; there is null in it"),
        ({"input": [[1], [[2]]]}, "input", "'input[1]' must be a list of token ids; there is a list in it"),
        ({"encoding_format": "hex"}, "encoding_format", "must be 'float' or 'base64'; it is \"hex\""),
        ({"encoding_format": ["float"]}, "encoding_format", "it is a list"),
        ({"dimensions": 0}, "dimensions", "'dimensions' must be a whole number from 1; it is 0"),
        ({"dimensions": True}, "dimensions", "it is true"),
        ({"dimensions": 1.5}, "dimensions", "it is 1.5"),
        ({"user": 1}, "user", "'user' must be a text; it is 1"),
        ({"temperature": 1}, "temperature", "Unknown parameter: 'temperature'"),
    ],
)
def test_field_that_is_wrong_is_named_with_its_value(fields: dict[str, Any], param: str, words: str) -> None:
    with pytest.raises(DomainError) as refusal:
        read(**fields)
    assert (refusal.value.code, refusal.value.extra) == ("invalid_request", {"param": param})
    assert words in refusal.value.detail


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "The body is not JSON"),
        (b"{", "The body is not JSON"),
        (b"\xff{}", "The body is not JSON"),
        (b"[" * 20_000, "nested too deeply"),
        (b"[" * 20_001, "more than 20000 lists"),
        (b'{"model": "embed", "input": [' + b"1" * 5000 + b"]}", "The body is not JSON"),
        (b"[]", "The body must be a JSON object; it is a list"),
        (b"null", "it is null"),
    ],
)
def test_body_that_is_no_object_is_refused(body: bytes, words: str) -> None:
    refusal = refusal_of(body)
    assert (refusal.code, refusal.extra) == ("invalid_request", {})
    assert words in refusal.detail


@given(JSON | st.fixed_dictionaries({"model": JSON, "input": JSON}, optional={"dimensions": JSON, "user": JSON}))
def test_whatever_is_sent_is_read_or_refused(value: Any) -> None:
    with suppress(DomainError):
        read_request(json.dumps(value).encode())
