"""What the environment may say, and what is refused with the exact reason."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from maas.env import Environment


def layers(value: str | None, default: str) -> frozenset[str]:
    values = {} if value is None else {"MAAS_SANDBOX_NEEDS": value}
    return Environment(Path("/nowhere"), values).layers("MAAS_SANDBOX_NEEDS", default)


@pytest.mark.parametrize(
    ("value", "default", "needs"),
    [
        (None, "landlock,seccomp", {"landlock", "seccomp"}),
        (None, "none", set()),
        ("none", "landlock,seccomp", set()),
        (" bubblewrap , landlock,", "none", {"bubblewrap", "landlock"}),
    ],
)
def test_layers_of_the_sandbox_are_read(value: str | None, default: str, needs: set[str]) -> None:
    assert layers(value, default) == needs


@pytest.mark.parametrize(("value", "unknown"), [("landlok,seccomp", "landlok"), ("landlock,none", "none")])
def test_an_unknown_layer_is_named(value: str, unknown: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"names '{unknown}', which is no layer of the sandbox"):
        layers(value, "none")
