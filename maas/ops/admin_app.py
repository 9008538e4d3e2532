"""Replaces Django's admin with the product's own site, and imports its pages only in processes that show them.

The admin's pages make up a third of all code, which every process and every command would otherwise load first.
"""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.contrib.admin import autodiscover
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core.checks import CheckMessage, Tags, register


class OperatorAdminConfig(SimpleAdminConfig):
    default_site = "maas.ops.operator_site.OperatorSite"

    def ready(self) -> None:
        register(check_dependencies, Tags.admin)
        register(_check_every_page, Tags.admin)


def _check_every_page(app_configs: Sequence[AppConfig] | None, **options: Any) -> Sequence[CheckMessage]:
    autodiscover()
    return check_admin_app(app_configs, **options)
