import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.core.contracts import Json
from inference.gateway.json_parts import MAX_VALUES, has_too_many_parts

MOST = 5


@pytest.mark.parametrize(
    ("text", "beyond"),
    [
        (b"[[],[],[],[]]", False),
        (b"[[],[],[],[],[]]", True),
        (b'{"a":{},"b":{}}', False),
        (b'{"a":1,"b":2,"c":3,"d":4,"e":5}', True),
        (b'["[[[[[[{{{{::::"]', False),
        (rb'["\"[[[[[[", "\\", "[[[["]', False),
        (rb'["\\",[],[],[],[],[]]', True),
        (b'["unended [[[[[[[[[[[[[[\\', False),
        (b"0," * MAX_VALUES, False),
        (b"0," * (MAX_VALUES + 1), True),
        (b'"' + b"," * (MAX_VALUES + 1) + b'"', False),
        (b'"",' * (MAX_VALUES + 1), True),
    ],
    ids=lambda value: str(value[:30]) if isinstance(value, bytes) else str(value),
)
def test_parts_count_and_what_stands_inside_texts_does_not(text: bytes, beyond: bool) -> None:
    assert has_too_many_parts(text, MOST) == beyond


def marks_of(value: Json) -> int:
    match value:
        case list():
            return 1 + sum(map(marks_of, value))
        case dict():
            return 1 + len(value) + sum(map(marks_of, value.values()))
    return 0


TEXTS = st.text(alphabet='[{:,"\\\\aé', max_size=8)


@given(
    st.recursive(
        TEXTS,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
        max_leaves=12,
    ),
    st.booleans(),
)
def test_whatever_is_written_is_counted_as_it_is_read(value: Json, ascii_alone: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_alone).encode()
    assert has_too_many_parts(text, MOST) == (marks_of(value) > MOST)
