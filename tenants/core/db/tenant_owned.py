"""The structure of every table that belongs to a tenant."""

from functools import cache
from typing import TypeVar
from uuid import UUID

from django.db import connections, models

from tenants.core.db.unit_of_work import current_alias, current_scope
from tenants.core.errors import UnscopedQuery
from tenants.core.ids import uuid7

M = TypeVar("M", bound=models.Model)


class TenantManager(models.Manager[M]):
    """A manager that refuses to query without a scope. In a tenant's scope, only its rows of its mode exist.

    In test mode no rows about money exist.
    """

    def get_queryset(self) -> "models.QuerySet[M]":
        scope = current_scope()
        if scope is None:
            raise UnscopedQuery(f"{self.model.__name__} was queried outside unit_of_work() or operator_work()")
        queryset = super().get_queryset()
        if scope.tenant_id is None:
            return queryset
        queryset = queryset.filter(tenant_id=scope.tenant_id)
        return queryset if scope.mode is None else self._of_mode(queryset, scope.mode)

    def _of_mode(self, queryset: "models.QuerySet[M]", mode: bool) -> "models.QuerySet[M]":
        if _has_mode(self.model):
            return queryset.filter(livemode=mode)
        is_money = getattr(self.model, "is_money", False)
        return queryset.none() if is_money and not mode else queryset


def lock_tenant(tenant_id: UUID) -> None:
    """Lock the tenant's row until the transaction ends, so that those that count its objects take turns."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT FROM tenants_tenant WHERE id = %s FOR NO KEY UPDATE", [tenant_id])


@cache
def _has_mode(model: type[models.Model]) -> bool:
    return any(field.name == "livemode" for field in model._meta.get_fields())


class TenantOwned(models.Model):
    """A row of a tenant. Others refer to `UNIQUE (tenant, id)`, so that no reference crosses tenants."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    # This column needs no separate index, because the unique pair below begins with it.
    tenant = models.ForeignKey(
        "tenants.Tenant", on_delete=models.PROTECT, related_name="+", editable=False, db_index=False
    )

    objects = TenantManager()

    class Meta:
        abstract = True
        constraints = [models.UniqueConstraint(fields=["tenant", "id"], name="%(app_label)s_%(class)s_tenant")]
