"""Asks for confirmation of an action that cannot be undone, and returns to the page where it was requested."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.http import url_has_allowed_host_and_scheme

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

Action = Callable[[Any, HttpRequest, "QuerySet[Any]"], None]
Asked = Callable[[Any, HttpRequest, "QuerySet[Any]"], HttpResponse | None]
NAMED = 20


def confirmed(
    question: "StrOrPromise", consequence: "StrOrPromise", button: "StrOrPromise"
) -> Callable[[Action], Asked]:
    """Run the action only after a person has read what it does and confirmed it."""

    def decorate(act: Action) -> Asked:
        @wraps(act)
        def ask_first(admin: Any, request: HttpRequest, chosen: "QuerySet[Any]") -> HttpResponse | None:
            if request.POST.get("confirmed") == "yes":
                act(admin, request, chosen)
                return back(request)
            rows = list(chosen)
            context = {
                **admin.admin_site.each_context(request),
                "title": question,
                "consequence": consequence,
                "button": button,
                "opts": admin.model._meta,
                "chosen": [(row.pk, admin.in_words(row), admin.url_of(row)) for row in rows[:NAMED]],
                "unnamed": [row.pk for row in rows[NAMED:]],
                "action": request.POST["action"],
                "field": ACTION_CHECKBOX_NAME,
                "back": request.POST.get("back", ""),
                "cancel": _safe(request) or request.get_full_path(),
            }
            return TemplateResponse(request, "admin/confirm_action.html", context)

        return ask_first

    return decorate


def at_once(act: Action) -> Asked:
    """Run an action that can be undone without asking for confirmation, and return to the same page."""

    @wraps(act)
    def do(admin: Any, request: HttpRequest, chosen: "QuerySet[Any]") -> HttpResponse | None:
        act(admin, request, chosen)
        return back(request)

    return do


def back(request: HttpRequest) -> HttpResponse | None:
    url = _safe(request)
    return HttpResponseRedirect(url) if url else None


def _safe(request: HttpRequest) -> str | None:
    url = request.POST.get("back", "")
    return url if url_has_allowed_host_and_scheme(url, allowed_hosts=None) else None
