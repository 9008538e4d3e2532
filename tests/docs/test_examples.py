"""Tests that every example in the documents is run against the product, or says why it is not."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from maas.local.launch.state_files import read_env_file
from tests.docs.conftest import Restored
from tests.docs.examples import EXAMPLES, Block, answers, blocks, misfit, values
from tests.docs.product import PROJECT
from tests.inference.runtime.graphs import save_adder
from tests.samples.pdfs import locked_pdf, small_scans
from tests.services import without_product

ELSEWHERE = {"docs/client.md", "docs/edge.md"}
"""Documents whose examples are run by the client's own tests, and by test_edge.py against its own process."""
OPERATORS = {"docs/guides/operator.md", "docs/operating.md"}
"""Documents most of whose commands start processes. test_backup.py, test_readme.py and the fixture `clone` run such
commands.
"""
DOCUMENTS = sorted(
    path.relative_to(PROJECT).as_posix()
    for path in [*(PROJECT / "docs").glob("*.md"), *(PROJECT / "docs" / "guides").glob("*.md")]
)
pytestmark = pytest.mark.xdist_group("backup")
RUN = [document for document in DOCUMENTS if document not in ELSEWHERE]
END_OF = "=== the end of "


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory, restored: Restored) -> Path:
    """Make a clone as the reader has it, with the product running and the files that the examples name."""
    folder = tmp_path_factory.mktemp("clone")
    _furnish(folder)
    # Few tests share this product, because the examples add models, pause them and create tenants.
    (folder / "var").symlink_to(restored.product.home)
    (folder / "var" / "sample.pdf").write_bytes(small_scans("INVOICE 2026-0417", "Northwind Paper Ltd"))
    (folder / "locked.pdf").write_bytes(locked_pdf())
    added = in_bash(".venv/bin/python manage.py models add graph.onnx --name my-graph", folder)
    assert added.returncode == 0, added.stderr
    return folder


def _furnish(folder: Path) -> None:
    (folder / ".venv").symlink_to(sys.prefix)
    for name in ("manage.py", "deploy"):
        (folder / name).symlink_to(PROJECT / name)
    (folder / "scan.pdf").write_bytes(small_scans("A letter", "of two pages"))
    save_adder(folder / "graph.onnx", floats=2)


def in_bash(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        # Programs of callers have packages that the product does without.
        env=without_product(os.environ) | {"PYTHONPATH": ""},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def in_shell(block: Block) -> str:
    return block.text if block.language == "sh" else f".venv/bin/python - <<'PYTHON'\n{block.text}PYTHON\n"


def outputs_of(document: str, clone: Path) -> dict[str, str]:
    """Run all blocks of a document in one shell, so that what a block sets is available to those below it."""
    running = [block for block in blocks(document) if block.is_run]
    script = "\n".join(f"{in_shell(block)}\necho '{END_OF}{block.name}'" for block in running)
    done = in_bash(script, clone)
    assert done.returncode == 0, f"{document}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    found, rest = {}, done.stdout
    for block in running:
        found[block.name], _, rest = rest.partition(f"{END_OF}{block.name}\n")
    return found


def last_value(output: str) -> Any:
    """Return what a block prints last, as JSON."""
    return json.loads(output.strip().splitlines()[-1])


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(name, marks=pytest.mark.long if name in OPERATORS else ())
        for name in RUN
        if any(block.is_run for block in blocks(name))
    ],
)
def test_examples_run_and_answer_as_the_document_says(document: str, clone: Path) -> None:
    outputs = outputs_of(document, clone)
    for name, expected in answers(document).items():
        problem = misfit(values(expected)[0], last_value(outputs[name]))
        assert problem is None, f"{expected.name}: {problem}"


def noted(kind: str) -> list[Block]:
    return [block for name in RUN for block in blocks(name) if block.note.startswith(kind)]


@pytest.fixture(scope="module")
def api(clone: Path) -> Iterator[httpx.Client]:
    demo = read_env_file(clone / "var" / "demo.env")
    headers = {"Authorization": f"Bearer {demo['MAAS_API_KEY']}", "Prefer": "wait=60"}
    with httpx.Client(base_url=demo["MAAS_URL"], headers=headers, timeout=90, trust_env=False) as client:
        yield client


def with_document(body: dict[str, Any], api: httpx.Client, clone: Path) -> dict[str, Any]:
    """Replace the document that a body names by an existing one."""
    if "document" not in body:
        return body
    stored = api.post("/v1/documents", files={"file": ("scan.pdf", (clone / "scan.pdf").read_bytes())})
    return {**body, "document": stored.json()["id"]}


@pytest.mark.parametrize("block", noted("sent: "), ids=lambda block: block.document)
def test_bodies_that_are_shown_are_accepted(block: Block, api: httpx.Client, clone: Path) -> None:
    method, path = block.note.removeprefix("sent: ").split()
    for body in values(block):
        answer = api.request(method, path, json=with_document(body, api, clone))
        assert answer.is_success, f"{body}: {answer.text}"


@pytest.mark.parametrize("block", noted("first page of: "), ids=lambda block: block.note)
def test_what_models_give_has_the_shape_that_is_shown(block: Block, api: httpx.Client, clone: Path) -> None:
    body = json.loads(block.note.removeprefix("first page of: "))
    job = api.post("/v1/jobs", json=with_document(body, api, clone)).json()
    assert misfit(values(block)[0], job["result"]["pages"][0]) is None


KINDS_OF_NOTES = ("not run: ", "sent: ", "first page of: ", "tests/docs/")


@pytest.mark.parametrize("document", ["README.md", *RUN])
def test_every_example_is_run_or_says_why_not(document: str) -> None:
    shapes = set(answers(document).values())
    for block in blocks(document):
        runs_here = block.is_run and document != "README.md"
        if block.language in EXAMPLES and not runs_here and block not in shapes:
            assert block.note.startswith(KINDS_OF_NOTES), f"{block.name}: say above it why it is not run"
