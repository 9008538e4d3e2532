"""The aliases of a model, as its pages list them."""

from dataclasses import dataclass

from inference.registry.models import ServedModel


@dataclass(frozen=True)
class AliasRow:
    name: str
    version: int
    has_moved: bool
    """Set if it has stood for another version before, so that it can be rolled back."""


def aliases_of(served: ServedModel) -> tuple[AliasRow, ...]:
    moved = set(served.moves.exclude(previous=None).order_by().values_list("alias", flat=True).distinct())
    aliases = served.aliases.select_related("version").order_by("name")
    return tuple(AliasRow(alias.name, alias.version.number, alias.name in moved) for alias in aliases)
