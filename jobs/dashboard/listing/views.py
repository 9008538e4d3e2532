"""The list of documents and their jobs. The filters and the live page read it again and replace what changed."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django_htmx.http import push_url

from inference.registry.models import ServedModel
from jobs.core.priorities import DEFAULT, NUMBERS
from jobs.dashboard.base.permissions import may_write
from jobs.dashboard.base.wording import price_words
from jobs.dashboard.listing.columns import ORDERS, columns, sizes, tabs
from jobs.dashboard.listing.query import MEANING, ListQuery
from jobs.dashboard.listing.rows import rows_of
from jobs.dashboard.listing.selectors import Listing, listing_of, model_choices, refused
from jobs.dashboard.listing.wording import count_words
from jobs.search.selectors import meaning_available, meaning_of
from jobs.search.statement_timeout import MeaningUnavailable, SearchTooBroad
from tenants.core.db.unit_of_work import unit_of_work
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity
from tenants.plans.prices import Meter, Price


@members_only
def job_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("jobs:read")
    query = ListQuery.parse(request.GET.dict())
    listing = _listing(query, identity)
    context = {**_list_part(query, listing), "may_write": may_write(identity)}
    if request.headers.get("HX-Request"):
        answer = render(request, "jobs/listing/found.html", context)
        return push_url(answer, query.address(reverse("job-list")))
    return render(request, "jobs/listing/job_list.html", {**context, **_around(identity)})


def _listing(query: ListQuery, identity: Identity) -> Listing:
    try:
        # This runs before the unit of work begins, because it may wait for seconds.
        meaning = meaning_of(query.words) if query.by == MEANING else None
        with unit_of_work(identity):
            return listing_of(query, meaning)
    except (MeaningUnavailable, SearchTooBroad) as refusal:
        return refused(str(refusal))


def _list_part(query: ListQuery, listing: Listing) -> dict[str, Any]:
    stretch = listing.stretch
    return {
        "query": query,
        "rows": rows_of(stretch.jobs, listing.finds, timezone.now()),
        "stretch": stretch,
        "count": "" if listing.refusal else count_words(query, listing),
        "refusal": listing.refusal,
        "first": not query.filtered and not stretch.total,
        "back": stretch.back.address() if stretch.back else "",
        "onward": stretch.onward.address() if stretch.onward else "",
        "tabs": tabs(query),
        "columns": columns(query),
        "sizes": sizes(query),
        "other_search": _other_search(query),
    }


def _other_search(query: ListQuery) -> str:
    """Return the URL of a search for the same words by meaning, or for the words themselves again. It is empty if there
    is no such choice.
    """
    if query.by:
        return query.changed(by="", sort="").address()
    return query.changed(by=MEANING, sort="").address() if query.words and meaning_available() else ""


def _around(identity: Identity) -> dict[str, Any]:
    choices = model_choices()
    return {
        "models": [_with_price(model, _price(identity, model)) for model in choices.for_documents],
        "model_names": choices.names,
        "orders": ORDERS,
        "priorities": list(NUMBERS),
        "usual_priority": DEFAULT,
        "sends_to_storage": bool(settings.MAAS_STORAGE_FOR_BROWSERS),
        "max_archive_bytes": settings.MAAS_MAX_ARCHIVE_BYTES,
        "max_bytes": max(identity.limits.upload_bytes, settings.MAAS_MAX_RESUMABLE_BYTES),
    }


def _with_price(model: ServedModel, price: Price) -> tuple[ServedModel, str, Meter]:
    return model, price_words(price), price.meter


def _price(identity: Identity, model: ServedModel) -> Price:
    return identity.prices.of_model(model.name, model.price, model.cached_price).price
