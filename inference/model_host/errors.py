"""The errors of a model in its host, beside those that a model in the worker has too."""

import re

from inference.core.errors import ModelFailed

CRASHED = "model_crashed"
OUT_OF_MEMORY = "model_out_of_memory"
OUTPUT_TOO_LARGE = "model_output_too_large"
TIMED_OUT = "model_timeout"
PAUSED = "model_paused_after_crashes"
UNAVAILABLE = "model_isolation_unavailable"


_OWNER = re.compile(r"\.[0-9a-f]{32}(?=@|$)")


def shown_name(name: str) -> str:
    """Return the name by which callers know a model: without the account that owns it."""
    return _OWNER.sub("", name)


class HostDied(ModelFailed):
    """The error for a run or a load that ended its host: a crash, a hang, or an answer that is none."""


class ModelPaused(ModelFailed):
    """The error for a model whose hosts died several times in a row. It is raised before anything is run."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            PAUSED,
            f"{shown_name(name)} was paused because its process ended several times in a row. The last time: {reason}."
            " Correct the model and add it as a new version, or resume this one",
        )
        self.reason = reason


class FeedsRefused(Exception):
    """The error for inputs whose names, types or shapes the model does not accept."""
