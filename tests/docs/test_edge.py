"""Runs the examples of docs/edge.md against a process that is started as the page says."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management.base import BaseCommand

from maas.management.commands.edge import Command
from maas.web.errors.api_errors import status_of
from tests.docs.examples import EXAMPLES, Block, blocks, misfit, values
from tests.docs.product import read, table_rows
from tests.docs.test_examples import last_value
from tests.inference.runtime.graphs import save_adder
from tests.maas.edge_mode.edge_process import EdgeProcess
from tests.samples.pdfs import small_scans
from tests.services import without_product

DOCUMENT = "docs/edge.md"
RUN_HERE = "tests/docs/test_edge.py runs this"
SHAPE = "tests/docs/test_edge.py holds the answer against this"


def declared_reader() -> str:
    """Return the declaration at the start of docs/pipelines.md."""
    return read("docs/pipelines.md").partition("<<'JSON'\n")[2].partition("JSON\n")[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edge")
    (folder / "scan.pdf").write_bytes(small_scans("A letter", "of two pages"))
    (folder / "reader.json").write_text(declared_reader())
    save_adder(folder / "graph.onnx", floats=2)
    return folder


@pytest.fixture(scope="module")
def edge(folder: Path) -> Iterator[EdgeProcess]:
    arguments = (
        *("--models", "embed,parse", "--onnx", f"my-graph={folder / 'graph.onnx'}"),
        *("--graph", f"reader={folder / 'reader.json'}", "--member", "reader.reader=parse"),
    )
    with EdgeProcess(folder / "home", *arguments) as process:
        yield process


def examples() -> list[tuple[Block, Block | None]]:
    """Return each example that is run, with the shape of its response if the page shows it."""
    found = list(blocks(DOCUMENT))
    after = [*found[1:], None]
    return [
        (block, shape if shape is not None and shape.note == SHAPE else None)
        for block, shape in zip(found, after, strict=True)
        if block.note == RUN_HERE
    ]


@pytest.mark.parametrize(("example", "shape"), examples(), ids=lambda one: getattr(one, "name", ""))
def test_examples_run_and_answer_as_the_page_says(
    example: Block, shape: Block | None, edge: EdgeProcess, folder: Path
) -> None:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", example.text],
        cwd=folder,
        env={**without_product(os.environ), "EDGE": edge.url},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert shape is not None
    assert misfit(values(shape)[0], last_value(done.stdout)) is None


def test_every_example_is_run_or_says_why_not() -> None:
    shown = [block for block in blocks(DOCUMENT) if block.language in EXAMPLES]
    assert all(block.note in (RUN_HERE, SHAPE) or block.note.startswith("not run: ") for block in shown)


def test_every_option_is_described_with_its_default() -> None:
    plain = BaseCommand().create_parser("manage.py", "edge")
    known = {
        action.option_strings[0]: action.default
        for action in Command().create_parser("manage.py", "edge")._actions
        if action.option_strings and action.option_strings[0] not in plain._option_string_actions
    }
    described = {name: cells[0] for name, cells in table_rows(DOCUMENT).items() if name.startswith("--")}
    assert described.keys() == known.keys()
    for name in ("--models", "--deadline", "--at-once"):
        assert described[name] == f"`{str(known[name]).removesuffix('.0')}`"


@pytest.mark.parametrize(
    "code", ["not_authenticated", "origin_not_allowed", "overloaded", "restarting", "deadline_exceeded"]
)
def test_codes_have_the_status_that_the_page_says(code: str) -> None:
    row = next(line for line in read(DOCUMENT).splitlines() if line.startswith("|") and f"`{code}`" in line)
    assert int(row.split("|")[1]) == status_of(code)
