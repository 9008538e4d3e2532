"""The Django app of models: the registry and everything that runs them."""

from importlib import import_module

from django.apps import AppConfig


class InferenceConfig(AppConfig):
    name = "inference"
    verbose_name = "Models"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the erasure of cached results and the limits of models. The `tenants` app does not know about
        models, so this app registers them there.
        """
        import_module("tenants.accounts.results").on_erasure(import_module("inference.cache.erasing").erase_entries)
        import_module("tenants.limits.quota.counted").register_limits(
            import_module("inference.registry.model_limits").counted_limits
        )
