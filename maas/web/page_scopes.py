"""Chooses the database role of a page: the operator role for the admin, and the account role for signing in and for
people's own accounts.

All other pages act for one tenant or none.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager

from django.http import HttpRequest, HttpResponse

from tenants.core.db.unit_of_work import account_work, operator_work

ADMIN = "/admin/"
ACCOUNT_PAGES = (
    "/account",
    "/confirm-email/",
    "/invitations/accept/",
    "/password/",
    "/shut",
    "/sign-in",
    "/sign-out",
    "/sign-up",
)


class PageScopesMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        scope = scope_of(request.path)
        if scope is None:
            return self.get_response(request)
        with scope():
            response = self.get_response(request)
            render = getattr(response, "render", None)
            # A lazily rendered page would run its queries after the scope has ended.
            return render() if render and not getattr(response, "is_rendered", True) else response


def scope_of(path: str) -> Callable[[], AbstractContextManager[None]] | None:
    if path.startswith(ADMIN):
        return operator_work
    return account_work if path.startswith(ACCOUNT_PAGES) else None
