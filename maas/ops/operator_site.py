"""The operator's admin. Operators sign in on the same page as everyone, with a second factor if that is required."""

from typing import Any

from django.conf import settings
from django.contrib.admin import autodiscover
from django.http import HttpRequest
from unfold.sites import UnfoldAdminSite

from tenants.accounts.second_factors import has_shown_second_factor


class OperatorSite(UnfoldAdminSite):  # type: ignore[misc]
    def get_urls(self) -> list[Any]:
        """Import the admin's pages and return their addresses, which only a process that shows them needs."""
        autodiscover()
        urls: list[Any] = super().get_urls()
        return urls

    def get_sidebar_list(self, request: HttpRequest) -> list[dict[str, Any]]:
        """Return the menu, and note the group and the item of the current page, which its breadcrumbs name."""
        menu: list[dict[str, Any]] = super().get_sidebar_list(request)
        places = (
            {"group": group["title"], "item": item["title"], "link": item["link"]}
            for group in menu
            for item in group["items"]
            if item["active"]
        )
        request.menu_place = next(places, None)  # type: ignore[attr-defined]
        return menu

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the person may enter. A page calls this many times, and the answer is looked up once."""
        if not super().has_permission(request):
            return False
        if not settings.MAAS_STAFF_TWO_FACTOR:
            return True
        has_shown: bool | None = getattr(request, "has_shown_second_factor", None)
        if has_shown is None:
            has_shown = request.has_shown_second_factor = has_shown_second_factor(request)  # type: ignore[attr-defined]
        return has_shown
