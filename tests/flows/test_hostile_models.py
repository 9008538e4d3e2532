"""Test that every hostile model is refused with its reason, or costs nobody but its own caller an answer."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from secrets import token_hex
from typing import Any

import httpx
import pytest

from tests.samples.adders import adder
from tests.samples.hostile_models import HOSTILE_MODELS, Feeds, HostileModel

from .caller import Json
from .own_models import Developer
from .product import Account, Product

LONGEST_TEXT = 500
LONGEST_VERSION = 100_000
ROW: Feeds = {"x": ("FP32", [1, 4], [1.0] * 4)}
QUICK = {name: hostile for name, hostile in HOSTILE_MODELS.items() if not hostile.slow}
SLOW = {name: hostile for name, hostile in HOSTILE_MODELS.items() if hostile.slow}
SAMPLE = 8
"""Of the quick ones, each eighth is tried whenever tests are run, and all of them by `make test-long`."""


@pytest.fixture(scope="module")
def attacker(product: Product, account: Account) -> Iterator[Developer]:
    with Developer(product, account) as developer:
        yield developer


@pytest.fixture(scope="module")
def neighbor(product: Product, other_account: Account) -> Iterator[Developer]:
    with Developer(product, other_account) as developer:
        yield developer


@pytest.fixture(scope="module")
def neighbors_model(neighbor: Developer) -> str:
    return str(neighbor.ready_model(adder(1))["model"])


def test_hostile_models_are_refused_or_contained(
    attacker: Developer, neighbor: Developer, neighbors_model: str, product: Product
) -> None:
    some = dict(list(QUICK.items())[::SAMPLE])
    assert_contained(some, attacker, neighbor, neighbors_model, product)


@pytest.mark.long
def test_all_hostile_models_are_refused_or_contained(
    attacker: Developer, neighbor: Developer, neighbors_model: str, product: Product
) -> None:
    assert_contained(QUICK, attacker, neighbor, neighbors_model, product)


@pytest.mark.long
def test_hostile_models_that_run_into_limits_are_refused_or_contained(
    attacker: Developer, neighbor: Developer, neighbors_model: str, product: Product
) -> None:
    assert_contained(SLOW, attacker, neighbor, neighbors_model, product)


def assert_contained(
    hostile: Mapping[str, HostileModel],
    attacker: Developer,
    neighbor: Developer,
    neighbors_model: str,
    product: Product,
) -> None:
    before = product.process("worker").pid
    model = f"hostile-{token_hex(4)}"
    sent = {name: attacker.post_model(model, one.make()) for name, one in hostile.items()}
    versions = {name: response.json() for name, response in sent.items() if response.status_code == 202}
    wrong = [f"{name}: {error}" for name in sent.keys() - versions.keys() for error in faults_of_problem(sent[name])]
    for name, uploaded in versions.items():
        version = attacker.checked(model, uploaded["version"])
        wrong += [f"{name}: {error}" for error in faults_of(version)]
        if version["state"] == "ready":
            answer = attacker.infer(f"{model}@{version['version']}", feeds_for(version, hostile[name].feeds))
            wrong += [f"{name}, called: {error}" for error in faults_of_answer(answer)]
            assert neighbor.infer(neighbors_model, ROW).json()["outputs"][0]["data"] == [2.0] * 4, name
    assert not wrong, "\n".join(wrong)
    assert product.process("worker").pid == before


def faults_of(version: Json) -> Iterator[str]:
    """Yield what is wrong with a version that was checked."""
    if len(json.dumps(version)) > LONGEST_VERSION:
        yield f"its description has {len(json.dumps(version))} characters"
    if version["state"] == "ready":
        return
    refused = version["report"].get("refused", {})
    for name in ("code", "detail", "what_to_do"):
        yield from faults_of_text(name, refused.get(name))
    if refused.get("code") in {"model_task_failed", "model_unreadable"}:
        yield f"it was not the file that was blamed: {refused}"


def faults_of_answer(answer: httpx.Response) -> Iterator[str]:
    if answer.status_code != 200:
        yield from faults_of_problem(answer)


def faults_of_problem(answer: httpx.Response) -> Iterator[str]:
    try:
        problem = answer.json()
    except ValueError:
        yield f"{answer.status_code} with {answer.text[:200]!r}"
        return
    yield from faults_of_text("detail", problem.get("detail") or problem.get("error"))
    if problem.get("code") == "internal_error" or not problem.get("code"):
        yield f"an internal error: {problem}"


def faults_of_text(name: str, text: object) -> Iterator[str]:
    if not isinstance(text, str) or not text:
        yield f"no {name}: {text!r}"
        return
    if len(text) > LONGEST_TEXT + 200:
        yield f"{name} has {len(text)} characters"
    if not text.isprintable():
        yield f"{name} is not printable: {text!r}"
    if any(trace in text for trace in ("Traceback", ".cc:", ".py", "onnxruntime_src", "/tmp/", "/home/")):
        yield f"{name} shows the inside: {text}"


def feeds_for(version: Json, given: Feeds) -> Feeds:
    """Return inputs for a call: those that are given, and made-up ones."""
    return {tensor["name"]: given.get(tensor["name"]) or made_up(tensor) for tensor in version["signature"]["inputs"]}


def made_up(tensor: Mapping[str, Any]) -> tuple[str, list[int], list[Any]]:
    shape = [size if size >= 0 else 2 for size in tensor["shape"]]
    values: Iterable[Any] = range(math.prod(shape))
    if tensor["datatype"] == "BYTES":
        return "BYTES", shape, [f"text {value}" for value in values]
    if tensor["datatype"] == "BOOL":
        return "BOOL", shape, [value % 2 == 0 for value in values]
    return tensor["datatype"], shape, list(values)
