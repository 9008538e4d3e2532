"""The names of what can stand between hostile bytes and the machine."""

BUBBLEWRAP, LIMITS, NOBODY, LANDLOCK, SECCOMP = LAYERS = (
    "bubblewrap",
    "limits",
    "nobody",
    "landlock",
    "seccomp",
)


class LayerUnavailable(Exception):
    """This machine does not have the layer; the message says why."""
