"""The content security policy: browsers run and load only files of this server. The admin is allowed a little more."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware, PolicyParts

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponseBase

ADMIN = "/admin/"
PAGES: dict[str, list[str]] = {
    "default-src": [SELF],
    # The source `blob:` allows a picture that a person has chosen and that is shown before it is sent.
    "img-src": [SELF, "data:", "blob:"],
    "object-src": [NONE],
    "base-uri": [NONE],
    "form-action": [SELF],
    "frame-ancestors": [NONE],
}
# The theme of the admin builds its expressions with eval and writes styles in its pages.
ADMIN_PAGES: dict[str, list[str]] = {
    **PAGES,
    "script-src": [SELF, UNSAFE_EVAL, UNSAFE_INLINE],
    "style-src": [SELF, UNSAFE_INLINE],
}


def pages(*, forms_go_to: Sequence[str]) -> dict[str, list[str]]:
    """Return the policy of pages. Forms may also lead to these origins."""
    return {**PAGES, "form-action": [SELF, *forms_go_to]}


class PolicyMiddleware(CSPMiddleware):
    """Middleware that sends the policy. A stricter one that a view has set, as page pictures do, takes precedence."""

    def get_policy_parts(
        self, request: "HttpRequest", response: "HttpResponseBase", report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if request.path.startswith(ADMIN) and not report_only:
            parts.config = ADMIN_PAGES
        return parts
