"""Test models that are sent in parts, interrupted and continued, with the running product."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from maas_client import AsyncClient, Client, InvalidRequest
from tests.client.cli.conftest import Shell
from tests.client.test_own_models import SECONDS, developer, key, name, shell
from tests.flows.product import Product
from tests.samples.adders import adder

from .cable import Cable

__all__ = ["developer", "key", "name", "shell"]
PART = 100_000


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the parts small, because real ones would take minutes."""
    monkeypatch.setattr("maas_client.model_calls.LARGE_BYTES", PART)
    monkeypatch.setattr("maas_client.sending.PART_BYTES", PART)


@pytest.fixture
def through_cable(cable: Cable, key: str) -> Iterator[Client]:
    with Client(cable.url, key) as client:
        yield client


def wide() -> bytes:
    """Return a graph with weights of 800 kB."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 4])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 50_000])
    weights = numpy_helper.from_array(np.random.default_rng(7).random((4, 50_000), np.float32), "weights")
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "weights"], ["y"])], "wide", [x], [y], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    data: bytes = model.SerializeToString()
    return data


def test_a_large_model_goes_in_parts_over_a_connection_that_breaks(
    through_cable: Client, developer: Client, cable: Cable, name: str
) -> None:
    cuts: list[int] = []

    def cut_sometimes(sent: int, total: int) -> None:
        if sent // PART in (2, 5) and sent // PART not in cuts:
            cuts.append(sent // PART)
            cable.cut()

    version = through_cable.models.push(wide(), name=name, license="MIT", wait=SECONDS, progress=cut_sometimes)
    assert (version.key, version.state, cuts) == (f"{name}@1", "ready", [2, 5])
    assert len(developer.models.versions(name)) == 1


def test_an_interrupted_push_continues_under_its_key(developer: Client, name: str) -> None:
    told: list[int] = []

    def interrupt(sent: int, total: int) -> None:
        if sent > 4 * PART:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        developer.models.push(wide(), name=name, license="MIT", progress=interrupt, idempotency_key=f"push-{name}")
    versions = [
        developer.models.push(
            wide(),
            name=name,
            license="MIT",
            wait=SECONDS,
            progress=lambda sent, total: told.append(sent),
            idempotency_key=f"push-{name}",
        ).key
        for _ in range(2)
    ]
    assert versions == [f"{name}@1"] * 2
    assert min(told) > 4 * PART, "the first parts were not sent again"
    assert len(developer.models.versions(name)) == 1


def test_a_large_variant_goes_in_parts(developer: Client, name: str) -> None:
    developer.models.push(wide(), name=name, license="MIT", wait=SECONDS)
    task = developer.models.add_variant(name, 1, wide(), precision="fp16")
    assert developer.models.wait_task(name, task.id, seconds=SECONDS).state == "succeeded"
    assert [variant.state for variant in developer.models.variants(name, 1)] == ["admitted"]


def test_the_command_prints_the_key_that_continues_a_push(shell: Shell, name: str) -> None:
    (shell.folder / "m.onnx").write_bytes(adder(1))
    for _ in range(2):
        pushed = shell(
            "models", "push", "m.onnx", "--name", name, "--license", "MIT", "--idempotency-key", f"of-{name}"
        )
        assert (pushed.code, pushed.out) == (0, f"{name}@1\n"), pushed.err


def test_a_url_that_is_not_allowed_is_refused_with_its_reason(developer: Client, name: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        developer.models.push(url="https://10.0.0.1/m.onnx", name=name, license="MIT")
    assert refused.value.code == "url_not_allowed"


def test_coroutines_send_large_models_likewise(product: Product, key: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "wide.onnx"
    path.write_bytes(wide())

    async def pushed() -> str:
        async with AsyncClient(product.running.url, key) as client:
            return (await client.models.push(path, name=name, license="MIT", wait=SECONDS)).key

    assert asyncio.run(pushed()) == f"{name}@1"
