"""Tests of this process's reader, and of how it reports the layers that confine its children."""

import asyncio
from collections.abc import Callable, Iterator

import pytest
from prometheus_client import REGISTRY
from pytest_django import Settings

from inference.sandbox import SandboxUnavailable
from inference.sandbox.isolation import probe_bubblewrap
from jobs.documents import reading
from maas.process.errors import LaunchError
from maas.web.front import Front


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pretend that bubblewrap is not installed and that this process has opened no document yet."""

    def forget() -> None:
        if reading._made.cache_info().currsize:
            reading.reader().close()
        reading._made.cache_clear()
        probe_bubblewrap.cache_clear()

    forget()
    with monkeypatch.context() as there:
        there.setenv("PATH", "/nonexistent")
        yield
        forget()


def gauge(layer: str) -> float | None:
    return REGISTRY.get_sample_value("maas_sandbox_layer", {"layer": layer})


@pytest.mark.usefixtures("without_bubblewrap")
def test_layers_in_force_are_told() -> None:
    assert reading.sandbox_state() == {"needs": [], "layers": None}
    assert gauge("seccomp") in (None, 0)
    reading.require_sandbox()
    layers = reading.sandbox_state()["layers"]
    assert layers is not None
    assert {"limits", "landlock", "seccomp"} <= set(layers)
    assert (gauge("landlock"), gauge("seccomp"), gauge("bubblewrap")) == (1, 1, 0)


@pytest.mark.usefixtures("without_bubblewrap")
@pytest.mark.parametrize(
    ("start", "error"),
    [
        (reading.require_sandbox, SandboxUnavailable),
        (lambda: asyncio.run(Front.from_settings()._start()), LaunchError),
    ],
    ids=["reader", "web"],
)
def test_nothing_starts_without_a_layer_that_is_needed(
    settings: Settings, start: Callable[[], None], error: type[Exception]
) -> None:
    settings.MAAS_SANDBOX_NEEDS = frozenset({"bubblewrap", "seccomp"})
    with pytest.raises(error, match=r"lacks bubblewrap, which MAAS_SANDBOX_NEEDS names .*not installed"):
        start()
    assert reading.sandbox_state()["needs"] == ["bubblewrap", "seccomp"]
    assert gauge("bubblewrap") == 0


@pytest.mark.usefixtures("without_bubblewrap")
def test_a_child_that_cannot_start_is_no_reason_where_no_layer_is_needed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAAS_SANDBOX_NEEDS = frozenset()
    monkeypatch.setattr(reading, "START_TIMEOUT_S", 0)
    reading.require_sandbox()
