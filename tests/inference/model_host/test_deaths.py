"""Test when a model whose hosts die is paused."""

from functools import reduce

import pytest

from inference.model_host.deaths import Deaths


@pytest.mark.parametrize(
    ("deaths", "too_many"),
    [
        ("aa", False),
        ("aaa", True),
        ("ttttttttt", False),
        ("tttttttaa", False),
        ("t" * 11, False),
        ("t" * 12, True),
        ("taatta", True),
    ],
)
def test_deaths_alone_weigh_more_than_those_of_batches(deaths: str, too_many: bool) -> None:
    counted = reduce(lambda sum_, kind: sum_.after("it left", alone=kind == "a"), deaths, Deaths())
    assert counted.too_many is too_many
    assert counted.reason == "it left"


def test_the_search_for_one_bad_input_in_a_batch_pauses_nothing() -> None:
    deaths, pieces = Deaths(), 512
    while pieces:
        deaths = deaths.after("it left", alone=pieces == 1)
        pieces //= 2
    assert not deaths.too_many
