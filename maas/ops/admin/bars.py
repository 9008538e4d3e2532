"""The short rankings on the admin's home: a name, a count, its size relative to the largest, and a link."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse

from maas.ops.admin.day import since
from maas.ops.admin.home import Home
from tenants.admin_base.columns import BAD, TONES
from tenants.admin_base.formatting import size


@dataclass(frozen=True)
class Bar:
    name: str
    count: str
    percent: int
    url: str
    tone: str = ""


@dataclass(frozen=True)
class Ranking:
    """A ranking of bars. `bars` is None while they are counted."""

    key: str
    title: str
    bars: list[Bar] | None
    empty: str
    period: str = "24 hours"


def rankings(home: Home) -> list[Ranking]:
    return [
        Ranking(
            "failures", "Failed pages by error code", _failures(home), "No failed pages in the last 24 hours."
        ),
        Ranking("states", "Jobs by state", _states(home), "No jobs in the last 24 hours."),
        Ranking("jobs-by-tenant", "Jobs by tenant", _tenants(home), "No jobs in the last 24 hours."),
        Ranking("storage-by-tenant", "Storage by tenant", _storage(home), "No stored documents.", ""),
    ]


def _list(name: str, **filters: object) -> str:
    return reverse(f"admin:{name}_changelist", query=filters)


def _failures(home: Home) -> list[Bar] | None:
    if home.failures is None:
        return None
    codes = list(home.failures.items())[:10]
    return _bars(
        (
            code or "(no error code)",
            count,
            f"{count:,}",
            _list("jobs_page", error_code=code, **since("finished_at")),
            BAD,
        )
        for code, count in codes
    )


def _states(home: Home) -> list[Bar] | None:
    if home.jobs is None:
        return None
    return _bars(
        (
            state.replace("_", " "),
            count,
            f"{count:,}",
            _list("jobs_job", state__exact=state, **since("created_at")),
            TONES.get(state, ""),
        )
        for state, count in home.jobs.by_state.items()
    )


def _tenants(home: Home) -> list[Bar] | None:
    if home.jobs is None:
        return None
    return _bars(
        (
            one.name,
            one.count,
            f"{one.count:,}",
            _list("jobs_job", tenant__id__exact=one.tenant_id, **since("created_at")),
            "",
        )
        for one in home.jobs.by_tenant
    )


def _storage(home: Home) -> list[Bar] | None:
    if home.storage is None:
        return None
    return _bars(
        (
            one.name,
            one.size_bytes,
            size(one.size_bytes),
            _list("jobs_document", tenant__id__exact=one.tenant_id),
            "",
        )
        for one in home.storage.by_tenant
    )


def _bars(rows: Iterable[tuple[str, int, str, str, str]]) -> list[Bar]:
    found = list(rows)
    largest = max((row[1] for row in found), default=0) or 1
    return [
        Bar(name, text, round(100 * count / largest), url, tone) for name, count, text, url, tone in found
    ]
