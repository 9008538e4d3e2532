"""The first page of a person: their documents, or what their role lets them see instead."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from tenants.dashboard_base.shell import first_place, shell_of

_DOCUMENTS = "/jobs"
"""The page of documents, which also explains to everybody else what is missing."""


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return redirect(beginning(request))


def beginning(request: HttpRequest) -> str:
    shell = shell_of(request)
    return first_place(shell.identity) if shell else _DOCUMENTS
