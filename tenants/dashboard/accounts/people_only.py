"""Shows a page to every signed-in person, whether or not they belong to a tenant."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache

from tenants.authentication.impersonation import require_own_hands
from tenants.dashboard_base.shell import shell_of

View = Callable[..., HttpResponseBase]


def people_only(view: View) -> View:
    @never_cache
    @wraps(view)
    def for_person(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        require_own_hands(request)
        known = shell_of(request)
        if known is not None:
            request.shell = known  # type: ignore[attr-defined]  # for the context processor
        return view(request, *args, **kwargs)

    return for_person
