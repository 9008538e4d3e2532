"""The app that puts the product together, and its checks for settings that contradict each other."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from maas.process.errors import InvalidOption, require_cell_secret, require_own_port


def ports_differ(**_: Any) -> list[CheckMessage]:
    try:
        require_own_port(port=settings.MAAS_PORT, grpc_port=settings.MAAS_GRPC_PORT)
    except InvalidOption as error:
        return [Error(f"{error}.", id="maas.E001")]
    return []


def cell_has_secret(**_: Any) -> list[CheckMessage]:
    try:
        require_cell_secret(settings.MAAS_CELLS)
    except InvalidOption as error:
        return [Error(f"{error}.", id="maas.E002")]
    return []


class MaasConfig(AppConfig):
    name = "maas"

    def ready(self) -> None:
        register(ports_differ)
        register(cell_has_secret)
