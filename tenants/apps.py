"""The app of tenants, people, keys and money."""

from importlib import import_module

import structlog
from django.apps import AppConfig
from django.conf import settings

log = structlog.get_logger(__name__)


class TenantsConfig(AppConfig):
    name = "tenants"
    verbose_name = "Tenants & users"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import the schema extensions, which the generator finds only after their import. Every process also logs the
        switch.
        """
        import_module("tenants.api.schema")
        if settings.MAAS_EGRESS_LOOPBACK:
            log.warning("egress_loopback_allowed", setting="MAAS_EGRESS_LOOPBACK")
