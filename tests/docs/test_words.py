"""Tests that links lead somewhere, dependencies and commands are described, and the license is complete."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.product import PROJECT, first_column, read

DOCUMENTS = sorted(
    [*PROJECT.glob("*.md"), *PROJECT.glob("client/*.md"), *(PROJECT / "docs").rglob("*.md")],
    key=lambda path: path.as_posix(),
)


def anchors(document: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_links_lead_to_something(document: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_files_that_are_named_exist(document: Path) -> None:
    named = re.findall(
        r"`((?:maas|jobs|inference|tenants|deploy|docs|tests|requirements|\.ci)/[\w./-]+)`",
        document.read_text(),
    )
    for path in named:
        assert (PROJECT / path).exists() or (PROJECT / f"{path}.py").exists(), path


@pytest.mark.parametrize("folder", ["docs", "docs/decisions"])
def test_index_names_every_page_of_its_folder(folder: str) -> None:
    pages = {path.name for path in (PROJECT / folder).glob("*.md")} - {"README.md"}
    assert pages <= set(re.findall(r"\]\(([\w-]+\.md)\)", read(f"{folder}/README.md")))


def test_reason_of_every_dependency_is_given() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    names = {re.split(r"[\[<>=~; ]", dependency)[0] for dependency in project["dependencies"]}
    assert set(first_column("docs/decisions/stack.md")) == names


def test_make_targets_that_are_named_exist() -> None:
    there = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md"):
        named = set(re.findall(r"(?:^|`)make ([a-z]+)", read(document), re.MULTILINE))
        assert named <= there


def test_locks_that_are_named_are_all_there_are() -> None:
    rows = [name for name in first_column("CONTRIBUTING.md") if name.endswith(".txt")]
    locks = {path.name for path in (PROJECT / "requirements").glob("*.txt") if "overrides" not in path.name}
    assert set(rows) == locks


def test_license_is_the_whole_apache_license() -> None:
    license = read("LICENSE")
    assert license.lstrip().startswith("Apache License\n")
    assert "END OF TERMS AND CONDITIONS" in license
    assert tomllib.loads(read("pyproject.toml"))["project"]["license"] == "Apache-2.0"
