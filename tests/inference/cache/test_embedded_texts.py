"""Test that the texts of a list, each cached separately, add up to what was run for the list."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inference.cache.embedded_texts import output_of, read_text, texts_of, write_text
from inference.core.contracts import Units, WorkOutput
from inference.runtime.tensors import VECTORS


@given(st.lists(st.integers(0, 300), min_size=1, max_size=20), st.integers(0, 10**8))
def test_nothing_of_tokens_and_time_is_lost(tokens: list[int], device_us: int) -> None:
    run = WorkOutput(
        {"truncated": [0], "dimensions": 4, "tokens": sum(tokens)},
        Units(tokens=sum(tokens), device_us=device_us),
        tensors={VECTORS: np.ones((len(tokens), 4), np.float32)},
        row_tokens=tuple(tokens),
    )
    texts = texts_of(run, len(tokens))
    assert texts is not None
    again = output_of([read_text(write_text(text)) for text in texts], single=False)
    assert (again.units, again.row_tokens, again.result) == (run.units, run.row_tokens, run.result)
