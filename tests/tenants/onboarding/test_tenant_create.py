"""Tests of `manage.py tenant_create` where there are cells."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tenants.api_keys.format import parse_key
from tenants.api_keys.models import ApiKey
from tenants.authentication.selectors import identify_key
from tenants.cells.cells import Cell, Cells
from tenants.core.db.unit_of_work import operator_work
from tests.fixtures import unique

CELLS = Cells(
    "eu",
    by_name={
        "eu": Cell("eu", "https://eu.example.com", ()),
        "us": Cell("us", "https://us.example.com", ()),
    },
)


def create(*options: str) -> dict[str, str]:
    out = StringIO()
    email = f"{unique('owner')}@example.com"
    call_command("tenant_create", "--name", unique("Acme"), "--email", email, *options, stdout=out)
    made: dict[str, str] = json.loads(out.getvalue())
    return made


@pytest.fixture
def in_eu(settings: Settings) -> None:
    settings.MAAS_CELL, settings.MAAS_CELLS = CELLS.own, CELLS


@pytest.mark.usefixtures("in_eu")
def test_keys_of_a_cell_name_it_and_work() -> None:
    text = create("--cell", "eu")["api_key"]
    parts = parse_key(text)
    assert parts is not None
    assert parts.cell == "eu"
    assert identify_key(text).key_id
    with operator_work():
        key = ApiKey.objects.get(public_id=parts.public_id)
    assert text.startswith(f"{key.prefix}_")


@pytest.mark.usefixtures("in_eu")
def test_a_key_from_before_there_were_cells_works_on(settings: Settings) -> None:
    settings.MAAS_CELL = ""
    text = create()["api_key"]
    settings.MAAS_CELL = "eu"
    parts = parse_key(text)
    assert parts is not None
    assert parts.cell == ""
    assert identify_key(text).key_id
    with operator_work():
        assert ApiKey.objects.get(public_id=parts.public_id).prefix == parts.prefix


@pytest.mark.usefixtures("in_eu")
@pytest.mark.parametrize(
    ("cell", "reason"),
    [("us", "Run this in 'us', https://us.example.com"), ("ap", "not in MAAS_CELLS; there are 'eu', 'us'")],
)
def test_a_tenant_of_another_cell_is_refused(cell: str, reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        create("--cell", cell)


def test_without_cells_no_home_can_be_chosen() -> None:
    with pytest.raises(CommandError, match="this installation has no cells"):
        create("--cell", "eu")
