"""The reasons for which a model or a part of it is left as it is."""

from collections.abc import Iterable


class PruningImpossible(Exception):
    """No part of this model can be pruned within the bound."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Refused(Exception):
    """The group under trace cannot be pruned. It stays inside this package."""


class Coarsen(Exception):
    """Some units of the group under trace can only be kept or removed together.

    Each option is a set of pairs of units to join. The options exclude each other.
    """

    def __init__(self, options: Iterable[frozenset[tuple[int, int]]]) -> None:
        super().__init__("units must be joined")
        self.options = tuple(options)
