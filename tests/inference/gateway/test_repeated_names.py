"""Test that no parser of a caller's JSON accepts an object that has the same name twice."""

import io
import json
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.gateway.open_inference.requests import read_request as read_infer
from inference.gateway.open_inference.requests import wants_only_ready
from inference.gateway.openai.embedding_request import read_request as read_embedding
from inference.gateway.repeated_names import RepeatedName, strict_decoder
from jobs.api.requests import json_object
from jobs.batches.line_parsing import read_line
from jobs.dashboard.catalog.filled_form import call_in
from maas.web.json_parser import StorableJSONParser

READERS: dict[str, Callable[[bytes], object]] = {
    "API": lambda body: StorableJSONParser().parse(io.BytesIO(body)),
    "form": lambda body: json_object(body.decode()),
    "embeddings": read_embedding,
    "infer": lambda body: read_infer(body, len(body)),
    "index": wants_only_ready,
    "batch line": lambda body: read_line(body, 1, "/v1/embeddings"),
    "playground": lambda body: call_in(body, model="m", runtime="text-embedding"),
}
NAMES = st.sampled_from(["a", "b", "\\u0061", "c"])


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('{"model": "a", "model": "b"}', "'model'"),
        ('{"model": "a", "input": {"x": 1, "y": 2, "x": 1}}', "'x'"),
        ('{"inputs": [{"name": "a"}, {"name": "a", "n\\u0061me": "b"}]}', "'name'"),
        ('{"é": 1, "\\u00e9": 2}', r"'\\xe9'"),
        ('{"' + "x" * 200 + '": 1, "' + "x" * 200 + '": 2}', "'" + "x" * 80 + "'"),
    ],
    ids=["at the top", "deep", "escaped", "not ascii", "long"],
)
def test_a_name_that_stands_twice_is_named(reader: str, body: str, name: str) -> None:
    with pytest.raises(Exception, match=f"An object in the JSON has the name {name} twice. Send it once"):
        READERS[reader](body.encode())


def test_the_same_name_in_two_objects_is_read() -> None:
    value = strict_decoder().decode('{"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]}')
    assert value == {"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]}


@given(st.lists(NAMES, max_size=6))
def test_an_object_is_read_where_and_only_where_its_names_differ(names: list[str]) -> None:
    text = "{" + ", ".join(f'"{name}": {position}' for position, name in enumerate(names)) + "}"
    read = None
    with suppress(RepeatedName):
        read = strict_decoder().decode(text)
    plain = json.loads(text)
    assert read == (plain if len(plain) == len(names) else None)
