"""The priorities of jobs: their names for callers, their numbers in tables, and their shares of the workers."""

from collections.abc import Mapping

INTERACTIVE, STANDARD, BULK = 1, 2, 3
"""The priorities as the tables store them. If two pages are equally far, the lower number goes first."""

NAMES: Mapping[int, str] = {INTERACTIVE: "interactive", STANDARD: "standard", BULK: "bulk"}
NUMBERS: Mapping[str, int] = {name: number for number, name in NAMES.items()}
WEIGHTS: Mapping[int, int] = {INTERACTIVE: 16, STANDARD: 4, BULK: 1}
"""The number of pages that each priority gets while the lowest priority gets one, if pages of all priorities wait."""
DEFAULT = NAMES[STANDARD]
CHOICES = list(NAMES.items())
"""The choices for the fields of tables."""
