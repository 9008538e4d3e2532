"""The admin as operators enter it: signed in where everybody signs in, with a second factor where that is asked for."""

from typing import Any

from django.conf import settings
from django.contrib.admin import autodiscover
from django.http import HttpRequest
from unfold.sites import UnfoldAdminSite

from tenants.accounts.second_factors import has_shown_second_factor


class OperatorSite(UnfoldAdminSite):  # type: ignore[misc]
    def get_urls(self) -> list[Any]:
        """Whoever asks for addresses is about to show pages."""
        autodiscover()
        urls: list[Any] = super().get_urls()
        return urls

    def has_permission(self, request: HttpRequest) -> bool:
        """Asked many times for one page, and looked up once."""
        if not super().has_permission(request):
            return False
        if not settings.MAAS_STAFF_TWO_FACTOR:
            return True
        known: bool | None = getattr(request, "has_shown_second_factor", None)
        if known is None:
            known = request.has_shown_second_factor = has_shown_second_factor(request)  # type: ignore[attr-defined]
        return known
