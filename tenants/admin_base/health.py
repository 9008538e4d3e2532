"""Problems of tenants, in short texts. Apps report theirs through `on_health`, called once for a page of a list."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from tenants.admin_base.columns import BAD, GOOD, tone
from tenants.admin_base.formatting import list_link


@dataclass(frozen=True)
class Trouble:
    words: str
    list_name: str
    """The list in which an operator can act on it."""
    filters: Mapping[str, str]
    """The filters in addition to the tenant."""


Troubles = Mapping[UUID, Sequence[Trouble]]
Look = Callable[[Sequence[UUID]], Troubles]
_looks: dict[Look, str] = {}


def on_health(needs: str, look: Look) -> None:
    """Register a search for troubles, once, at the start. Only operators with permission `needs` see them."""
    _looks[look] = needs


def troubles_of(tenant_ids: Sequence[UUID], may: Callable[[str], bool]) -> dict[UUID, list[Trouble]]:
    """Return the troubles by tenant. Tenants without troubles are left out. Call this in operator work."""
    found: dict[UUID, list[Trouble]] = defaultdict(list)
    for look, needs in _looks.items():
        if tenant_ids and may(needs):
            for tenant_id, troubles in look(tenant_ids).items():
                found[tenant_id].extend(troubles)
    return dict(found)


def health_words(tenant_id: UUID, troubles: Sequence[Trouble]) -> SafeString:
    """Write the troubles. Each links to the list that shows its cause."""
    if not troubles:
        return tone("OK", GOOD)
    links = (
        list_link(trouble.list_name, trouble.words, tenant__id__exact=tenant_id, **trouble.filters)
        for trouble in troubles
    )
    return format_html_join(" ", "{}", ((tone(link, BAD),) for link in links))
