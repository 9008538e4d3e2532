"""The names of the layers that can protect the machine from hostile bytes."""

BUBBLEWRAP, LIMITS, NOBODY, LANDLOCK, SECCOMP = LAYERS = (
    "bubblewrap",
    "limits",
    "nobody",
    "landlock",
    "seccomp",
)


class LayerUnavailable(Exception):
    """The error for a layer that this machine does not have. The message gives the reason."""
