"""Tests of the limits of an account's pipeline, whose steps run beside the work of others."""

from collections.abc import Callable
from typing import Any

import pytest

from inference.core.contracts import Json
from inference.pipelines.account_limits import check_account_limits
from inference.pipelines.declaration import read_graph
from inference.pipelines.graph import GraphInvalid
from tests.inference.pipelines.declarations import CLASSIFIER, READER, changed


def check(declared: Json) -> None:
    check_account_limits(read_graph(declared))


def test_small_pipelines_are_allowed() -> None:
    check(CLASSIFIER)
    check(READER)


def more_steps(declared: Any) -> None:
    step = declared["steps"][1]
    declared["steps"] += [{**step, "name": f"again{number}"} for number in range(8)]


def doubling(declared: Any) -> None:
    """Join a text with itself, over and over."""
    step = {"kind": "postprocess", "operation": "join_texts"}
    texts = ["best.label", *(f"text{number}" for number in range(20))]
    declared["steps"] += [
        {**step, "name": f"text{number}", "inputs": {"a": texts[number], "b": texts[number]}} for number in range(20)
    ]


def settled(declared: Any) -> None:
    declared["steps"][1]["inputs"] = {"pixels": {"constant": [1]}}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (more_steps, "there are 9 model steps; a pipeline of an account may have 8"),
        (doubling, "step 'text0': pipelines of accounts do not have the operation 'join_texts'"),
        (settled, "step 'scores': all its inputs are constants"),
        (
            lambda declared: declared["steps"][0]["parameters"].update(width=4096, height=2048),
            "pixels of tensors that are made of pictures; a pipeline of an account may have 4194304",
        ),
        (
            lambda declared: declared["output"].update({f"o{number}": "best.label" for number in range(70)}),
            "73 values in outputs",
        ),
        (
            lambda declared: declared["output"].update(long={"constant": "x" * 40_000}),
            "characters of constants; a pipeline of an account may have 32768",
        ),
        (lambda declared: declared.update(search_by={"role": "colors"}), "do not have `search_by`"),
    ],
)
def test_what_could_take_much_from_others_is_refused(change: Callable[[Any], object], reason: str) -> None:
    with pytest.raises(GraphInvalid, match=reason):
        check(changed(CLASSIFIER, change))
