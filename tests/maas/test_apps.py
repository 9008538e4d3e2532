from django.core.checks import run_checks
from pytest_django import Settings

from tenants.cells.cells import Cells


def found(check: str = "maas.E001") -> list[str]:
    return [str(one.msg) for one in run_checks() if one.id == check]


def test_one_port_for_http_and_grpc_is_an_error(settings: Settings) -> None:
    settings.MAAS_PORT = settings.MAAS_GRPC_PORT = 9000
    (words,) = found()
    assert "MAAS_GRPC_PORT=9000 is MAAS_PORT" in words


def test_two_ports_or_none_for_grpc_are_none(settings: Settings) -> None:
    settings.MAAS_PORT = 9000
    for port in (0, 9001):
        settings.MAAS_GRPC_PORT = port
        assert not found()


def test_a_cell_that_cannot_sign_is_an_error(settings: Settings) -> None:
    settings.MAAS_CELLS = Cells("eu")
    (words,) = found("maas.E002")
    assert "MAAS_CELL_SECRET is not: `manage.py cell_key` makes one" in words
    for cells in (Cells(), Cells("eu", secret=b"s" * 32)):
        settings.MAAS_CELLS = cells
        assert not found("maas.E002")
