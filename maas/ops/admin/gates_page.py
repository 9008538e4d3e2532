"""The operator's page of all gates that may refuse a request. The request log names the gate of each refusal."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

import inference.gates
import jobs.gates
import maas.web.gates
import tenants.gates
from maas.ops.admin.visibility import JOBS, may_see
from maas.web.errors.api_errors import status_of

GATES = (*tenants.gates.GATES, *inference.gates.GATES, *jobs.gates.GATES, *maas.web.gates.GATES)


@require_GET
def gates(request: HttpRequest) -> HttpResponse:
    if not may_see(request, JOBS):
        raise PermissionDenied
    rows = [{"gate": gate, "status": status_of(gate.code)} for gate in GATES]
    context = {**admin.site.each_context(request), "title": _("Gates"), "rows": rows}
    return render(request, "admin/gates.html", context)
