import io

import pytest
from rest_framework.exceptions import ParseError

from maas.web.json_parser import StorableJSONParser


def parse(body: bytes) -> object:
    return StorableJSONParser().parse(io.BytesIO(body))


def test_ordinary_json_is_read() -> None:
    assert parse('{"a": [1, 2.5, "ü", null, true]}'.encode()) == {"a": [1, 2.5, "ü", None, True]}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "not JSON"),
        (b"", "not JSON"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "-Infinity"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": "\\u0000"}', "NUL"),
        (b'{"\\ud800": 1}', "surrogate"),
        (b'"\xff"', "UTF-8"),
        (b"[" * 100_000, "nested"),
        (b"1" * 5000, "too many digits"),
    ],
    ids=lambda value: repr(value[:12]),
)
def test_what_cannot_be_kept_is_refused_in_words(body: bytes, words: str) -> None:
    with pytest.raises(ParseError, match=words):
        parse(body)
