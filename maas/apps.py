"""The app that puts the product together: settings, front, services, commands."""

from django.apps import AppConfig
from django.core.checks import register

from maas.checks import ports_differ


class MaasConfig(AppConfig):
    name = "maas"

    def ready(self) -> None:
        register(ports_differ)
