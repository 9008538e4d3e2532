"""Tests of batches of raw tensors, for an ONNX model that was added to the running product."""

from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from tests.fixtures import unique
from tests.flows.caller import Caller
from tests.flows.product import Product
from tests.inference.runtime.graphs import save_adder

from .batching import begin, custom_ids, ended, jsonl, line, results


@pytest.fixture
def url(product: Product, tmp_path: Path) -> str:
    """Add a model that adds one to rows of four numbers, and return its URL."""
    name = unique("adder")
    added = product.manage("models", "add", str(save_adder(tmp_path / "adder.onnx")), "--name", name)
    assert added.returncode == 0, added.stderr
    return f"/v2/models/{name}/infer"


def tensor(rows: list[list[float]], **other: object) -> dict[str, object]:
    shape = [len(rows), len(rows[0])]
    return {"name": "x", "datatype": "FP32", "shape": shape, "data": rows, **other}


def asked(call: httpx.Response) -> tuple[int, dict[str, Any]]:
    return call.status_code, nameless(call.json())


def nameless(error: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in error.items() if key != "request_id"}


def test_lines_of_tensors_are_answered_each_with_its_own_and_those_that_are_refused_say_what_the_call_says(
    client: openai.OpenAI, caller: Caller, url: str
) -> None:
    good = {f"good {n}": {"id": f"{n}", "inputs": [tensor([[n, 0, 0, 0], [0, 0, 0, n]])]} for n in range(40)}
    wrong: dict[str, Any] = {
        "three numbers": {"inputs": [tensor([[1, 2, 3]])]},
        "another type": {"inputs": [tensor([[1, 2, 3, 4]], datatype="INT64")]},
        "another name": {"inputs": [tensor([[1, 2, 3, 4]], name="z")]},
        "too few numbers": {"inputs": [tensor([[1, 2, 3, 4]], shape=[2, 4])]},
        "no such output": {"inputs": [tensor([[1, 2, 3, 4]])], "outputs": [{"name": "z"}]},
    }
    bodies = [*wrong.items(), *good.items()]
    batch = ended(client, begin(client, jsonl(line(name, body, url) for name, body in bodies), url))
    assert batch.status == "completed", batch.errors
    answers = results(client, batch.output_file_id)
    assert custom_ids(answers) == list(good)
    for number, answer in enumerate(answers):
        (output,) = answer["response"]["body"]["outputs"]
        assert answer["response"]["status_code"] == 200
        assert answer["response"]["body"]["id"] == f"{number}"
        assert (output["name"], output["datatype"], output["shape"]) == ("y", "FP32", [2, 4])
        assert output["data"] == [number + 1, 1, 1, 1, 1, 1, 1, number + 1]
    failed = results(client, batch.error_file_id)
    assert custom_ids(failed) == list(wrong)
    for one in failed:
        response = one["response"]
        told = (response["status_code"], nameless(response["body"]))
        assert told == asked(caller.http.post(url, json=wrong[one["custom_id"]]))
        assert told[0] == 400
        assert told[1]["code"]
        assert one["error"] is None
