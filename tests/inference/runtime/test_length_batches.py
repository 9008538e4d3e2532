from hypothesis import given
from hypothesis import strategies as st

from inference.runtime.length_batches import batches_by_length


def test_like_lengths_share_a_batch_and_unlike_ones_do_not() -> None:
    batches = batches_by_length([100, 5, 98, 5, 6], max_padded_tokens=1000, max_padding_share=0.12)
    assert batches == ((1, 3, 4), (2, 0))


def test_padded_size_bounds_a_batch() -> None:
    assert [
        len(batch) for batch in batches_by_length([10] * 5, max_padded_tokens=20, max_padding_share=0.5)
    ] == [
        2,
        2,
        1,
    ]


@given(
    lengths=st.lists(st.integers(1, 300), max_size=60),
    tokens=st.integers(1, 2000),
    share=st.floats(0, 0.9),
)
def test_each_position_is_in_one_batch_that_keeps_its_bounds(
    lengths: list[int], tokens: int, share: float
) -> None:
    batches = batches_by_length(lengths, max_padded_tokens=tokens, max_padding_share=share)
    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[position] for position in batch)
        padded = longest * len(batch)
        wasted = padded - sum(lengths[position] for position in batch)
        assert len(batch) == 1 or (padded <= tokens and wasted <= share * padded)
