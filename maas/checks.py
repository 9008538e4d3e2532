"""The checks that `manage.py check` runs besides Django's own: they find settings that contradict each other."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from maas.process.options import InvalidOption, require_own_port


def ports_differ(**_: Any) -> list[CheckMessage]:
    try:
        require_own_port(port=settings.MAAS_PORT, grpc_port=settings.MAAS_GRPC_PORT)
    except InvalidOption as error:
        return [Error(f"{error}.", id="maas.E001")]
    return []
