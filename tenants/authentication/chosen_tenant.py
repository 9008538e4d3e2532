"""The tenant that a signed-in person chose to act for. The choice lasts as long as the session."""

from uuid import UUID

from django.http import HttpRequest

_NAME = "tenant"


def chosen_tenant(request: HttpRequest) -> UUID | None:
    """Return the chosen tenant, or None before a choice. The person may have left it since."""
    chosen = request.session.get(_NAME)
    return UUID(chosen) if isinstance(chosen, str) else None


def choose_tenant(request: HttpRequest, tenant_id: UUID) -> None:
    request.session[_NAME] = str(tenant_id)
