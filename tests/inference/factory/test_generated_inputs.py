import numpy as np
import pytest

from inference.factory.generated_inputs import Hint, generate
from inference.factory.samples import Feeds, SampleInvalid
from inference.runtime.tensors import NodeArg

NUMBERS = (NodeArg("x", "tensor(float)", ("n", 3)),)
TOKENS = (
    NodeArg("input_ids", "tensor(int64)", ("batch", "length")),
    NodeArg("attention_mask", "tensor(int64)", ("batch", "length")),
)


def values(feeds: list[Feeds], name: str) -> np.ndarray:
    return np.concatenate([each[name].ravel() for each in feeds])


def test_the_same_seed_gives_the_same_inputs() -> None:
    one, same, other = (generate(NUMBERS, seed=seed, max_rows=500) for seed in (1, 1, 2))
    assert one.digest == same.digest != other.digest


def test_inputs_are_of_several_kinds_and_row_counts() -> None:
    golden = generate(NUMBERS, seed=1, max_rows=2000)
    assert {sample.group for sample in golden.held_out} == {"normal", "uniform", "sparse", "wide"}
    assert {1, 2, 3, 8, 33} <= {sample.rows for sample in golden.held_out}
    assert golden.generated
    assert 900 < golden.held_out_rows < 1100


def test_tokens_stay_in_the_vocabulary_and_masks_are_ones_before_zeros() -> None:
    golden = generate(TOKENS, {"input_ids": Hint(0, 99)}, seed=1, max_rows=2000)
    feeds = [sample.feeds for sample in golden.held_out]
    ids = values(feeds, "input_ids")
    assert ids.min() == 0
    assert ids.max() == 99
    masks = values(feeds, "attention_mask")
    assert set(masks.tolist()) == {0, 1}
    assert masks.mean() > 0.8
    assert all((each["attention_mask"][:, 0] == 1).all() for each in feeds)
    assert len({each["input_ids"].shape[1] for each in feeds}) == 3


def test_numbers_lie_around_what_the_graph_expects() -> None:
    hint = Hint(center=np.array([1000.0, -5.0]), deviation=np.array([100.0, 0.1]))
    golden = generate(NUMBERS, {"x": hint}, seed=1, max_rows=2000)
    rows = np.concatenate([sample.feeds["x"] for sample in golden.held_out if sample.group == "normal"])
    assert rows.mean(axis=0) == pytest.approx([1000, -5, 0], abs=20)
    assert rows.std(axis=0) == pytest.approx([100, 0.1, 1], rel=0.2)


def test_texts_are_words_that_the_graph_knows_and_others() -> None:
    texts = (NodeArg("city", "tensor(string)", ("n", 1)),)
    golden = generate(texts, {"city": Hint(words=("Bern", "Rome"))}, seed=1, max_rows=400)
    drawn = {text for sample in golden.held_out for text in sample.feeds["city"].ravel().tolist()}
    known = {text for sample in (*golden.held_out, *golden.calibration) for text in sample.feeds["city"].ravel()}
    assert {"Bern", "Rome"} <= known
    assert len(drawn) > 2


def test_pictures_of_bytes_use_all_values() -> None:
    golden = generate((NodeArg("picture", "tensor(uint8)", (None, 8, 8, 3)),), seed=1, max_rows=200)
    assert values([sample.feeds for sample in golden.held_out], "picture").max() == 255


def test_a_fixed_number_of_rows_is_kept() -> None:
    golden = generate((NodeArg("x", "tensor(float)", (2, 3)),), seed=1, max_rows=200)
    assert {sample.feeds["x"].shape for sample in golden.held_out} == {(2, 3)}


def test_kinds_that_the_model_refuses_are_left_out() -> None:
    golden = generate(NUMBERS, seed=1, max_rows=500, accepts=lambda feeds: bool(feeds["x"].min() >= 0))
    assert {sample.group for sample in golden.held_out} == {"uniform"}


def test_a_model_that_accepts_nothing_needs_samples() -> None:
    with pytest.raises(SampleInvalid, match="give samples"):
        generate(NUMBERS, seed=1, accepts=lambda _feeds: False)


def test_the_size_of_a_golden_set_is_bounded() -> None:
    golden = generate((NodeArg("x", "tensor(float)", ("n", 10_000)),), seed=1, max_values=2_000_000)
    total = sum(sample.feeds["x"].size for sample in (*golden.held_out, *golden.calibration))
    assert total <= 2_000_000 + 4 * 64 * 10_000
