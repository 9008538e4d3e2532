"""The app of tenants, people, keys and money."""

import structlog
from django.apps import AppConfig
from django.conf import settings

log = structlog.get_logger(__name__)


class TenantsConfig(AppConfig):
    name = "tenants"
    verbose_name = "Tenants & users"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Log the switch in every process."""
        if settings.MAAS_EGRESS_LOOPBACK:
            log.warning("egress_loopback_allowed", setting="MAAS_EGRESS_LOOPBACK")
