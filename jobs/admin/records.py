"""The parts that most lists of jobs and documents in the admin share: order, columns, and the identity that acts for a
tenant.
"""

from contextlib import AbstractContextManager
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from tenants.admin_base.acts import ActsOnEach
from tenants.admin_base.columns import badge, column
from tenants.admin_base.formatting import ago, link_to
from tenants.admin_base.records import RecordAdmin
from tenants.authentication.selectors import effective_limits
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity, all_scopes


class WorkAdmin(RecordAdmin):
    search_help_text = _("Tenant or whole ID")
    list_select_related: tuple[str, ...] = ("tenant",)
    ordering = ("-id",)

    @column(_("state"))
    def state_badge(self, row: Any) -> str:
        return badge(row.state)

    @column(_("tenant"))
    def owner(self, row: Any) -> str:
        return link_to(row.tenant)

    @column(_("created"), order_by="id")
    def created(self, row: Any) -> str:
        return ago(row.created_at)


class ActsForTenants(ActsOnEach, WorkAdmin):
    """A list whose actions are those of the tenants, through their role."""

    def transaction_of(self, row: Any) -> AbstractContextManager[Any]:
        return unit_of_work(row.tenant_id)


def acting_for(row: Any, request: HttpRequest) -> Identity:
    """Return an identity that acts for the tenant, so that operators and tenants use the same code."""
    return Identity(tenant_id=row.tenant_id, limits=effective_limits(), scopes=all_scopes(), user_id=request.user.pk)
