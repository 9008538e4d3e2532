"""Test pipelines of one's own with the client, the command and the running product."""

import io
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import pytest
from PIL import Image

from maas_client import Client, Conflict, InvalidRequest, ModelRefused, NotFound
from tests.client.cli.conftest import Shell
from tests.client.test_own_models import SECONDS, developer, shell
from tests.flows.product import Account, Product
from tests.inference.pipelines.declarations import CLASSIFIER, READER, changed, save_colors

__all__ = ["developer", "shell"]


@pytest.fixture(scope="session")
def key(product: Product, account: Account) -> str:
    return product.new_key(account, "models:read models:write jobs:read jobs:write documents:read documents:write")


@pytest.fixture
def colors(developer: Client, tmp_path: Path) -> Iterator[str]:
    """Return the name of a classifier of colors, which is deleted after the test."""
    name = f"colors-{token_hex(4)}"
    developer.models.push(save_colors(tmp_path / "colors.onnx"), name=name, license="MIT", wait=SECONDS)
    yield name
    with suppress(NotFound):
        developer.models.delete(name)


@pytest.fixture
def name(developer: Client, colors: str) -> Iterator[str]:
    """Return the name of a pipeline, which is deleted before its member."""
    name = f"sorter-{token_hex(4)}"
    yield name
    with suppress(NotFound):
        developer.models.delete(name)


def picture(color: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 64), color).save(file, "PNG")
    return file.getvalue()


def test_a_pushed_pipeline_sorts_pages_by_a_model_of_ones_own(
    shell: Shell, developer: Client, colors: str, name: str
) -> None:
    (shell.folder / "sorter.json").write_text(json.dumps({**CLASSIFIER, "members": {"colors": f"{colors}@1"}}))
    pushed = shell("models", "push", "sorter.json", "--name", name, "--license", "MIT")
    assert (pushed.code, pushed.out) == (0, f"{name}@1\n"), pushed.err
    for color in ("red", "blue"):
        page = developer.run(name, picture(color), name=f"{color}.png").pages[0]
        assert page.data["label"] == color
    with pytest.raises(Conflict, match="Pipelines use"):
        developer.models.delete(colors)


def test_a_member_of_the_installation_and_one_of_ones_own_work_together(developer: Client, name: str) -> None:
    version = developer.models.push(pipeline=READER, members={"reader": "ocr"}, name=name, license="MIT", wait=SECONDS)
    assert version.state == "ready"
    read = developer.run(name, b"Its own words", name="words.txt").pages[0]
    assert read.text == "Its own words"
    assert (
        developer.models.get(name).data["price"]["amount_micros"]
        == developer.models.get("ocr").data["price"]["amount_micros"]
    )


def test_a_wrong_step_is_named(developer: Client, colors: str, name: str) -> None:
    wrong = changed(CLASSIFIER, lambda declared: declared["steps"][0]["parameters"].update(width=4))
    with pytest.raises(ModelRefused, match="'pixels' must be FP32 tensor of shape") as refused:
        developer.models.push(pipeline=wrong, members={"colors": colors}, name=name, license="MIT", wait=SECONDS)
    assert refused.value.version.data["report"]["refused"]["node"] == "scores"


def test_another_accounts_model_is_no_member(product: Product, colors: str) -> None:
    stranger = product.create_account("Stranger")
    with Client(product.running.url, product.new_key(stranger, "models:read models:write")) as client:
        details = []
        for member in (colors, "none-of-this-name"):
            with pytest.raises(InvalidRequest) as refused:
                client.models.push(pipeline=CLASSIFIER, members={"colors": member}, name="sorter", license="MIT")
            assert refused.value.code == "pipeline_invalid"
            details.append(str(refused.value).split(", request")[0].replace(member, "NAME"))
    assert details[0] == details[1]
