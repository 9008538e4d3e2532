"""How urgent a job is: what callers say, what the tables keep, and how much more of the workers it gets."""

from collections.abc import Mapping

INTERACTIVE, STANDARD, BULK = 1, 2, 3
"""As the tables keep them: of two that are as far, the lower goes first."""

NAMES: Mapping[int, str] = {INTERACTIVE: "interactive", STANDARD: "standard", BULK: "bulk"}
NUMBERS: Mapping[str, int] = {name: number for number, name in NAMES.items()}
WEIGHTS: Mapping[int, int] = {INTERACTIVE: 16, STANDARD: 4, BULK: 1}
"""Pages that each gets in the time in which the last gets one, where all wait."""
DEFAULT = NAMES[STANDARD]
CHOICES = list(NAMES.items())
"""For the fields of tables."""
