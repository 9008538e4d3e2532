"""Test models of one's own with the client, the command and the running product."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex

import pytest

from maas_client import AsyncClient, Client, Conflict, InvalidRequest, ModelRefused, NotFound, PermissionDenied
from tests.client.cli.conftest import Shell
from tests.flows.product import Account, Product
from tests.samples.adders import adder

SECONDS = 240.0


@pytest.fixture(scope="session")
def key(product: Product, account: Account) -> str:
    return product.new_key(account, "models:read models:write jobs:read jobs:write")


@pytest.fixture
def reader(product: Product, account: Account) -> Iterator[Client]:
    """Return the client of a key that may not change models."""
    with Client(product.running.url, product.new_key(account, "models:read jobs:write")) as client:
        yield client


@pytest.fixture
def developer(product: Product, key: str) -> Iterator[Client]:
    with Client(product.running.url, key) as client:
        yield client


@pytest.fixture
def shell(product: Product, key: str, tmp_path: Path) -> Shell:
    return Shell(tmp_path, {"MAAS_URL": product.running.url, "MAAS_API_KEY": key})


@pytest.fixture
def name(developer: Client) -> Iterator[str]:
    """Return the name of a model that is deleted after the test."""
    name = f"adder-{token_hex(4)}"
    yield name
    with suppress(NotFound):
        developer.models.delete(name)


def answer(client: Client, model: str) -> float:
    tensor = {"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1.0] * 4}
    outputs = client.run(model, tensors=[tensor]).pages[0].outputs
    assert outputs is not None
    return float(outputs[0]["data"][0])


def push(client: Client, name: str, added: float) -> int:
    return client.models.push(adder(added), name=name, license="MIT", wait=SECONDS).version


def test_a_pushed_model_answers_by_name_version_and_alias(developer: Client, name: str) -> None:
    told: list[str] = []
    version = developer.models.push(
        adder(1),
        name=name,
        license="MIT",
        title="Adder",
        description="Adds one",
        labels={"team": "risk"},
        card="# Adder",
        lineage={"exported_from": "a test"},
        wait=SECONDS,
        told=lambda one: told.append(one.state),
    )
    assert (version.key, version.state, told[-1]) == (f"{name}@1", "ready", "ready")
    assert (version.license, version.description, version.labels) == ("MIT", "Adds one", {"team": "risk"})
    assert (version.card, version.aliases) == ("# Adder", ("current",))
    assert version.data["lineage"]["exported_from"] == "a test"
    assert version.data["signature"]["inputs"] == [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}]
    assert version.created_at is not None
    assert abs(datetime.now(UTC) - version.created_at) < timedelta(minutes=5)
    assert push(developer, name, 10) == 2
    assert developer.models.get(name).version == 1
    moved = developer.models.move_alias(name, "champion", 2)
    assert (moved.version, moved.previous) == (2, None)
    assert [answer(developer, one) for one in (name, f"{name}@1", f"{name}@2", f"{name}@champion")] == [2, 2, 11, 11]
    assert [one.version for one in developer.models.versions(name)] == [2, 1]
    assert developer.models.change(name, 2, description="Adds ten").description == "Adds ten"
    assert name in {one.name for one in developer.models()}


def test_an_alias_is_moved_by_comparison_and_rolled_back(developer: Client, name: str) -> None:
    for added in (1, 2):
        push(developer, name, added)
    before = datetime.now(UTC)
    developer.models.move_alias(name, "current", 2, if_version=1)
    with pytest.raises(Conflict):
        developer.models.move_alias(name, "current", 2, if_version=1)
    assert developer.models.rollback(name).version == 1
    assert [move.version for move in developer.models.history(name)] == [1, 2, 1]
    assert [move.version for move in developer.models.history(name, at=before)] == [1]
    developer.models.move_alias(name, "old", 1)
    assert {one.alias: one.version for one in developer.models.aliases(name)} == {"current": 1, "old": 1}
    developer.models.delete_alias(name, "old")
    assert developer.models.retire(name, 2).state == "retired"
    with pytest.raises(Conflict):
        developer.models.delete_version(name, 1)
    developer.models.delete_version(name, 2)
    developer.models.delete(name)
    with pytest.raises(NotFound):
        developer.models.get(name)


def test_a_hostile_model_is_refused_with_the_reason(developer: Client, name: str) -> None:
    with pytest.raises(ModelRefused) as refused:
        developer.models.push(adder(1, domain="evil"), name=name, license="MIT", wait=SECONDS)
    assert refused.value.code == "operator_not_allowed"
    assert "evil.Add" in str(refused.value)
    assert "standard ONNX operators" in str(refused.value)
    assert refused.value.version.data["report"]["refused"]["code"] == "operator_not_allowed"


def test_a_variant_that_answers_otherwise_is_refused(developer: Client, name: str, shell: Shell) -> None:
    push(developer, name, 1)
    task = developer.models.wait_task(
        name, developer.models.add_variant(name, 1, adder(2), precision="int8").id, seconds=SECONDS
    )
    assert task.state == "succeeded"
    (variant,) = developer.models.variants(name, 1)
    assert (variant.state, variant.precision, variant.transformation) == ("refused", "int8", "")
    assert variant.refusal is not None
    (shell.folder / "same.onnx").write_bytes(adder(1))
    said = shell("models", "add-variant", f"{name}@1", "same.onnx", "--precision", "fp16")
    assert said.code == 0, said.err
    admitted = said.out.splitlines()[1].split()
    assert admitted[1:4] == ["fp16", "uploaded", "admitted"]
    used = shell("models", "use", f"{name}@1", admitted[0])
    assert (used.code, used.out) == (0, f"{name}@2\n"), used.err
    assert developer.models.get(name).version == 2
    assert developer.models.refuse_variant(name, 1, variant.id)["state"] == "refused"


def test_a_variant_is_used_by_an_alias_of_its_own_by_comparison(developer: Client, name: str, shell: Shell) -> None:
    push(developer, name, 1)
    task = developer.models.add_variant(name, 1, adder(1), precision="fp16")
    developer.models.wait_task(name, task.id, seconds=SECONDS)
    (variant,) = developer.models.variants(name, 1)
    developer.models.move_alias(name, "champion", 1)
    with pytest.raises(Conflict):
        developer.models.use_variant(name, 1, variant.id, alias="champion", if_version=7)
    used = shell("models", "use", f"{name}@1", variant.id, "--alias", "champion", "--if-version", "1")
    assert (used.code, used.out) == (0, f"{name}@2\n"), used.err
    assert f"{name}@champion is version 2" in used.err
    assert {one.alias: one.version for one in developer.models.aliases(name)} == {"current": 1, "champion": 2}
    again = shell("models", "use", f"{name}@1", variant.id, "--alias", "champion", "--if-version", "1")
    assert (again.code, again.out) == (3, "")


def test_a_version_is_optimized_with_bounds_that_stay(developer: Client, name: str) -> None:
    push(developer, name, 1)
    ordered = developer.models.optimize(
        name, 1, transformations=["slim", "settings"], bounds={"relative_error_max": 0.5}
    )
    task = developer.models.wait_task(name, ordered.id, seconds=SECONDS)
    made = {each["transformation"]: each for each in task.data["result"]["transformations"]}
    assert made["slim"]["state"] == "admitted"
    assert {each["batch"] for each in made["settings"]["measured"]} == {1, 2, 4, 8, 16, 32}
    (variant,) = developer.models.variants(name, 1)
    assert variant.data["report"]["bounds"]["relative_error_max"] == 0.5
    with pytest.raises(InvalidRequest, match="bounds"):
        developer.models.optimize(name, 1, bounds={"nonsense": 1})


def test_the_command_pushes_shows_and_deletes(shell: Shell, name: str, developer: Client) -> None:
    (shell.folder / "m.onnx").write_bytes(adder(1))
    pushed = shell("models", "push", "m.onnx", "--name", name, "--license", "MIT", "--alias", "champion")
    assert (pushed.code, pushed.out) == (0, f"{name}@1\n"), pushed.err
    assert f"{name}@1 is ready: inputs x FP32 [-1, 4]; outputs y FP32 [-1, 4]\n" in pushed.err
    assert shell("models", "wait", f"{name}@1").out == f"{name}@1 is ready.\n"
    assert ["license", "MIT"] in [line.split() for line in shell("models", "show", f"{name}@champion").out.splitlines()]
    assert shell("models", "show", name).out.splitlines()[1].split()[:4] == ["1", "ready", "champion,", "current"]
    assert name in shell("models", "list").out
    refused = shell("models", "delete", f"{name}@1")
    assert refused.code == 3
    assert shell("models", "delete", name).out == f"{name} is deleted.\n"
    assert shell("models", "show", f"{name}@1").code == 3
    (shell.folder / "m.onnx").write_bytes(adder(1, domain="evil"))
    assert shell("models", "push", "m.onnx", "--name", name, "--license", "MIT").code == 1


def test_the_same_key_of_a_push_is_one_version(developer: Client, name: str) -> None:
    pushed = [
        developer.models.push(adder(1), name=name, license="MIT", wait=SECONDS, idempotency_key=f"push-{name}").version
        for _ in range(2)
    ]
    assert pushed == [1, 1]
    assert len(developer.models.versions(name)) == 1


def test_what_is_missing_or_not_allowed_is_said(developer: Client, reader: Client, name: str) -> None:
    with pytest.raises(InvalidRequest, match="license"):
        developer.models.push(adder(1), name=name, license=" ")
    with pytest.raises(PermissionDenied):
        reader.models.push(adder(1), name=name, license="MIT")
    with pytest.raises(NotFound):
        developer.models.version(name, 1)


def test_coroutines_push_and_move_as_well(product: Product, key: str, name: str) -> None:
    async def calls() -> list[object]:
        async with AsyncClient(product.running.url, key) as client:
            version = await client.models.push(adder(1), name=name, license="MIT", wait=SECONDS)
            moved = await client.models.move_alias(name, "champion", version.version)
            return [version.state, moved.version, [one.alias for one in await client.models.aliases(name)]]

    assert asyncio.run(calls()) == ["ready", 1, ["champion", "current"]]
