"""The app that puts the product together: settings, front, services, commands."""

from django.apps import AppConfig


class MaasConfig(AppConfig):
    name = "maas"
