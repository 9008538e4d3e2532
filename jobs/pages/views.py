"""The list of jobs and the page of one job. The live ones read these same pages again and swap in what changed."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from jobs.errors import NotFound
from jobs.pages.presentation import job_view, page_view, price_words
from jobs.pages.selectors import job_with_document, models_for_documents, newest_jobs, pages_after
from tenants.context import unit_of_work
from tenants.identity import Identity
from tenants.pages.members import members_only


@members_only
def job_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    before = request.GET.get("before")
    try:
        with unit_of_work(identity.tenant_id):
            stretch = newest_jobs(before)
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    now = timezone.now()
    context = {
        "jobs": [job_view(job, now) for job in stretch.jobs],
        "older": stretch.older,
        "newest": before is None,
        "may_write": may_write(identity),
        "models": [(model, price_words(model.price)) for model in models_for_documents()],
        "most_bytes": identity.limits.upload_bytes,
    }
    return render(request, "jobs/job_list.html", context)


@members_only
def job_page(request: HttpRequest, identity: Identity, job_id: str) -> HttpResponse:
    after = _page_number(request.GET.get("after", "0"))
    try:
        with unit_of_work(identity.tenant_id):
            job = job_with_document(job_id)
            stretch = pages_after(job, after)
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    pages = [page_view(page, job, stretch.pictures.get(page.number)) for page in stretch.pages]
    last = pages[-1].number if pages else after
    context = {
        "job": job_view(job, timezone.now()),
        "pages": pages,
        "after": after,
        "next_after": last if last < job.pages_total else None,
        "may_write": may_write(identity),
    }
    return render(request, "jobs/job_page.html", context)


def may_write(identity: Identity) -> bool:
    return {"documents:write", "jobs:write"} <= identity.scopes


def _page_number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise Http404(f"{text[:20]!r} is not the number of a page.")
    return int(text)
