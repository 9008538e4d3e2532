"""Tests which modules of other packages are imported."""

import ast
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
FOLDERS = ("maas", "jobs", "inference", "tenants", "tests")


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from (f"{module}.{name.name}" for name in names)


def test_no_internal_module_of_another_package_is_imported() -> None:
    """Check that none is imported, because its authors may change it in any release."""
    found = [
        f"{path.relative_to(PROJECT)}: {name}"
        for folder in FOLDERS
        for path in sorted((PROJECT / folder).rglob("*.py"))
        for name in _imported(path)
        if {"internal", "_internal"} & set(name.split(".")) and name.split(".")[0] not in FOLDERS
    ]
    assert found == []
