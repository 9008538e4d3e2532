"""Rows of the installation and of tenants in one table.

Without a scope, and for a tenant, the rows of other tenants do not exist: the manager leaves them out, and the
database hides them as well.
"""

from typing import TypeVar

from django.db import models

from tenants.core.db.unit_of_work import current_scope

M = TypeVar("M", bound=models.Model)
LONGEST_AUTHOR = 254


class OwnedManager(models.Manager[M]):
    """A manager of rows of the installation and of tenants. It shows a tenant the former and its own."""

    def get_queryset(self) -> "models.QuerySet[M]":
        scope = current_scope()
        found = super().get_queryset()
        if scope is None:
            return found.filter(tenant=None)
        if scope.tenant_id is None:
            return found
        return found.filter(models.Q(tenant=None) | models.Q(tenant=scope.tenant_id))


class Owned(models.Model):
    """A row of the installation (without a tenant) or of one tenant."""

    tenant = models.ForeignKey(
        "tenants.Tenant",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="Account that owns it. Empty: the installation.",
    )

    objects = OwnedManager()

    class Meta:
        abstract = True
