from django.core.checks import run_checks
from pytest_django import Settings


def found() -> list[str]:
    return [str(one.msg) for one in run_checks() if one.id == "maas.E001"]


def test_one_port_for_http_and_grpc_is_an_error(settings: Settings) -> None:
    settings.MAAS_PORT = settings.MAAS_GRPC_PORT = 9000
    (words,) = found()
    assert "MAAS_GRPC_PORT=9000 is MAAS_PORT" in words


def test_two_ports_or_none_for_grpc_are_none(settings: Settings) -> None:
    settings.MAAS_PORT = 9000
    for port in (0, 9001):
        settings.MAAS_GRPC_PORT = port
        assert not found()
