"""Decides when a model whose hosts die is paused."""

from dataclasses import dataclass, replace

MAX_ALONE = 3
"""The deaths in a row, each in a run for a single caller or in a load, after which a model is paused."""
MAX_TOGETHER = 12
"""The same for runs of any number of callers. A batch of hundreds that fails is halved down to one in fewer runs."""


@dataclass(frozen=True, slots=True)
class Deaths:
    """The deaths of a model's hosts since its last success."""

    alone: int = 0
    together: int = 0
    reason: str = ""
    """The reason of the last one."""

    def after(self, reason: str, *, alone: bool) -> "Deaths":
        """Return the deaths with one more. A run for several callers is repeated in parts, so that one caller's input
        must not count several times.
        """
        return replace(self, alone=self.alone + alone, together=self.together + 1, reason=reason)

    @property
    def too_many(self) -> bool:
        return self.alone >= MAX_ALONE or self.together >= MAX_TOGETHER
