"""Which of their tenants a signed-in person acts for: a choice that lasts as long as the session."""

from uuid import UUID

from django.http import HttpRequest

_NAME = "tenant"


def chosen_tenant(request: HttpRequest) -> UUID | None:
    """None until they choose. Whoever looks up one that they have left since refuses."""
    chosen = request.session.get(_NAME)
    return UUID(chosen) if isinstance(chosen, str) else None


def choose_tenant(request: HttpRequest, tenant_id: UUID) -> None:
    request.session[_NAME] = str(tenant_id)
