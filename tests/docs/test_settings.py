"""Tests that docs/settings.md lists every variable and its default."""

import ast

import pytest

from tests.docs.product import first_column, read, settings_read, table_rows

DOCUMENT = "docs/settings.md"


def literal_defaults() -> dict[str, str]:
    """Return the defaults that the settings write as values, in the form of environment variables."""
    found = {}
    for node in ast.walk(ast.parse(read("maas/settings/__init__.py"))):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="ENV")), args=[ast.Constant(value=str(name)), default]):
                try:
                    value = eval(compile(ast.Expression(default), "", "eval"), {})
                except NameError:  # the default depends on other settings
                    continue
                found[name] = str(int(value)) if isinstance(value, bool) else str(value)
    return {name: value for name, value in found.items() if value and "://" not in value}


def test_every_variable_is_described_and_no_other() -> None:
    described = [name for name in first_column(DOCUMENT) if name.startswith("MAAS_")]
    assert sorted(described) == sorted(settings_read())


@pytest.mark.parametrize(("name", "default"), sorted(literal_defaults().items()))
def test_default_is_as_described(name: str, default: str) -> None:
    assert table_rows(DOCUMENT)[name][0] == f"`{default}`"


def test_options_of_storage_are_described() -> None:
    known = {"endpoint", "region", "access_key", "secret_key", "addressing"}
    assert all(f'"{option}":' in read("maas/settings/env.py") for option in known)
    assert all(f"`{option}`" in read(DOCUMENT) for option in known)
