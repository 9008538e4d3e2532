"""Puts the product's own site in the place of Django's admin."""

from django.contrib.admin.apps import AdminConfig


class OperatorAdminConfig(AdminConfig):
    default_site = "maas.operator_site.OperatorSite"
