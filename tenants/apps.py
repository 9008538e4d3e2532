"""The app of tenants, people, keys and money."""

from importlib import import_module

from django.apps import AppConfig


class TenantsConfig(AppConfig):
    name = "tenants"
    verbose_name = "Tenants & people"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """The schema generator finds its extensions by their being imported."""
        import_module("tenants.api.schema")
