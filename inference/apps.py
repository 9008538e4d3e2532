"""The app of models: their registry and everything that runs them."""

from importlib import import_module

from django.apps import AppConfig


class InferenceConfig(AppConfig):
    name = "inference"
    verbose_name = "Models"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tenants know nothing of models: who keeps results says so to them."""
        import_module("tenants.accounts.results").on_erasure(
            import_module("inference.cache.erasing").erase_entries
        )
