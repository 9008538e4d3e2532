"""Reads the parts of the product from its files, to compare the documents with them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
APPS = ("maas", "jobs", "inference", "tenants")


def read(path: str) -> str:
    return (PROJECT / path).read_text()


def sources() -> Iterator[Path]:
    for app in APPS:
        yield from sorted((PROJECT / app).rglob("*.py"))


def trees(*words: str, less: tuple[str, ...] = ()) -> Iterator[ast.Module]:
    """Yield the parsed sources that contain any of these words, because parsing all sources takes seconds."""
    for path in sources():
        text = "" if any(part in str(path) for part in less) else path.read_text()
        if any(word in text for word in words):
            yield ast.parse(text)


def settings_read() -> set[str]:
    """Return the names of all environment variables that maas/settings/__init__.py reads."""
    return set(re.findall(r'ENV\.\w+\(\s*"(MAAS_\w+)"', read("maas/settings/__init__.py"))) | {"MAAS_HOME"}


def first_column(document: str) -> list[str]:
    """Return the texts in backquotes in the first column of the document's tables."""
    return re.findall(r"^\| `([^`]+)`", read(document), re.MULTILINE)


def table_rows(document: str) -> dict[str, list[str]]:
    """Return the rows of the document's tables by the text in backquotes in their first column. The other cells are
    stripped.
    """
    rows = re.findall(r"^\| `([^`]+)` \|(.*)\|$", read(document), re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}
