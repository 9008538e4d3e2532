"""Decides which parts of the admin an operator sees: those made from rows whose lists the operator may open."""

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from django.http import HttpRequest

JOBS, PAGES, DOCUMENTS = "jobs.job", "jobs.page", "jobs.document"
USES = "tenants.usagerecord"
TENANTS, VERSIONS, ENTRIES = "tenants.tenant", "inference.modelversion", "admin.logentry"
ENGINE = (PAGES, VERSIONS)
SCALING = ("inference.scalingterms",)
CELLS = ("tenants.peercell",)

ABOUT: Mapping[str, tuple[str, ...]] = {
    "requests": (JOBS,),
    "waiting": (PAGES,),
    "running": (PAGES,),
    "jobs": (JOBS,),
    "failed": (PAGES,),
    "workers": (PAGES,),
    "batches": (PAGES,),
    "storage": (DOCUMENTS,),
    "known": (USES,),
    "pages": (PAGES,),
    "queues": (PAGES, VERSIONS),
    "failures": (PAGES,),
    "states": (JOBS,),
    "jobs-by-tenant": (JOBS, TENANTS),
    "storage-by-tenant": (DOCUMENTS, TENANTS),
    "actions": (ENTRIES,),
}
"""Maps the key of each part to the kinds of rows that it shows. A part without an entry is shown to no operator."""


class Part(Protocol):
    @property
    def key(self) -> str: ...


Parts = TypeVar("Parts", bound=Part)


def may_see(request: HttpRequest, *kinds: str) -> bool:
    """Decide as the lists of the admin do: an operator who may change a kind of row may also see it."""
    return all(
        any(request.user.has_perm(kind.replace(".", f".{may}_")) for may in ("view", "change")) for kind in kinds
    )


def sees(request: HttpRequest, part: str) -> bool:
    return part in ABOUT and may_see(request, *ABOUT[part])


def seen(request: HttpRequest, parts: Iterable[Parts]) -> list[Parts]:
    return [part for part in parts if sees(request, part.key)]
