import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.core.storable import unstorable_text, without_unstorable

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(anything)
def test_what_has_been_cleaned_can_be_stored(value: object) -> None:
    assert unstorable_text(without_unstorable(value)) is None


@pytest.mark.parametrize("value", ["a\0", ["b", "\ud800"], {"k": {"\0": 1}}, {"k": [["\udfff"]]}])
def test_text_that_postgres_refuses_is_found(value: object) -> None:
    assert unstorable_text(value) is not None


def test_numbers_and_ordinary_text_pass() -> None:
    assert unstorable_text({"data": [1, 2.5, True, None], "text": "größer 日本 🙂"}) is None


def test_deep_nesting_needs_no_recursion() -> None:
    deep: list[object] = ["\0"]
    for _ in range(100_000):
        deep = [deep]
    assert unstorable_text(deep) == "\0"
