"""The operator's view of live workers: what each holds and runs. They are drained and resumed here."""

from typing import Any

import redis
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from inference.workers.heartbeats import live_workers_with_long_timeout, order_drain
from jobs.core.models import Page

REDIS_AWAY = "The durable Redis does not answer, so the state of the workers is unknown."

LAST_OPEN = "Drain the last worker that accepts pages?"


@require_GET
def workers_page(request: HttpRequest) -> HttpResponse:
    _require_sight(request)
    context = {**admin.site.each_context(request), "title": "Workers", **_seen(request)}
    return render(request, "admin/jobs/workers.html", context)


@require_GET
def workers_live(request: HttpRequest) -> HttpResponse:
    _require_sight(request)
    return render(request, "admin/jobs/workers_live.html", _seen(request))


@require_POST
def drain_worker(request: HttpRequest, name: str) -> HttpResponse:
    if may_order(request) and request.POST.get("confirmed") != "yes" and _is_last_open(name):
        return render(
            request,
            "admin/jobs/drain_last.html",
            {**admin.site.each_context(request), "title": LAST_OPEN, "name": name},
        )
    return _order(request, name, drain=True)


def _is_last_open(name: str) -> bool:
    try:
        return [worker.name for worker in live_workers_with_long_timeout() if worker.slots] == [name]
    except redis.RedisError:
        return False


@require_POST
def resume_worker(request: HttpRequest, name: str) -> HttpResponse:
    return _order(request, name, drain=False)


def _order(request: HttpRequest, name: str, *, drain: bool) -> HttpResponse:
    if not may_order(request):
        raise PermissionDenied
    # The log entry comes before the order, because Redis and the log cannot be one transaction. This way no order is
    # without an entry.
    _log(request, name, "Drain requested." if drain else "Resume requested.")
    try:
        heard = order_drain(name=name, drain=drain)
    except redis.RedisError:
        _log(request, name, "The request may not have reached the worker: Redis did not answer.")
        messages.error(request, f"{REDIS_AWAY} The request may not have reached {name}. Try again.")
        return HttpResponseRedirect(reverse("admin:jobs_workers"))
    if heard:
        outcome = "drains after its next heartbeat" if drain else "accepts pages again after its next heartbeat"
        messages.success(request, f"{name} {outcome}.")
    else:
        _log(request, name, "The worker is no longer running.")
        messages.warning(request, f"{name} is no longer running.")
    return HttpResponseRedirect(reverse("admin:jobs_workers"))


def _log(request: HttpRequest, name: str, message: str) -> None:
    """Write a log entry. Workers have no table, so the entry has no content type."""
    LogEntry.objects.create(
        user_id=str(request.user.pk),
        object_id=name,
        object_repr=name[:200],
        action_flag=CHANGE,
        change_message=message,
    )


def _require_sight(request: HttpRequest) -> None:
    """Require the permission to see pages, because workers have no table, and pages are what they run."""
    if not admin.site.get_model_admin(Page).has_view_permission(request):
        raise PermissionDenied


def may_order(request: HttpRequest) -> bool:
    return bool(request.user.has_perm("jobs.change_page"))


def _seen(request: HttpRequest) -> dict[str, Any]:
    try:
        return {"workers": live_workers_with_long_timeout(), "may_order": may_order(request)}
    except redis.RedisError:
        return {"problem": REDIS_AWAY}


WORKER_PATHS = (
    ("workers/", workers_page, "jobs_workers"),
    ("workers/live/", workers_live, "jobs_workers_live"),
    ("workers/<str:name>/drain/", drain_worker, "jobs_worker_drain"),
    ("workers/<str:name>/resume/", resume_worker, "jobs_worker_resume"),
)
