"""The admin speaks to the database as the operator; everything else as one tenant or none."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from tenants.context import operator_work


class AdminScopeMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith("/admin/"):
            return self.get_response(request)
        with operator_work():
            response = self.get_response(request)
            render = getattr(response, "render", None)
            # A lazily rendered page would run its queries after the scope has ended.
            return render() if render and not getattr(response, "is_rendered", True) else response
