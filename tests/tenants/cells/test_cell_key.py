from io import StringIO

from django.core.management import call_command
from pytest_django import Settings

from tenants.cells.cells import Cells
from tenants.cells.reading import read_cells


def output() -> str:
    out = StringIO()
    call_command("cell_key", stdout=out)
    return out.getvalue()


def test_a_new_pair_fits_into_the_settings(settings: Settings) -> None:
    settings.MAAS_CELLS = Cells()
    secret, public = (line.rpartition("=")[2] for line in output().splitlines())
    cells = read_cells(own="eu", urls="eu=https://eu.example.com", keys=f"eu={public}", secret=secret, control="")
    settings.MAAS_CELL, settings.MAAS_CELLS = "eu", cells
    assert output() == f"eu={public}\n"
