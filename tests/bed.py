"""Pytest plugin, named in pyproject.toml: it starts the services of the run before Django's settings are read."""

import os
import signal
from collections.abc import Generator

import pytest

from maas.process.collector import hold_collector, settle_collector
from tests.services import RunAddress, RunServices, without_product

_RUN = "MAAS_TEST_RUN"
_LIVE_STACK = "live_stack"
_SHARED = ("two_webs", "proxied_web")
"""Fixtures that tests of several modules share. These tests run in one process."""
_STARTED = (_LIVE_STACK, *_SHARED, "victim", "configured")
"""Fixtures that a group of tests starts for itself. They are stopped after its last test, because an idle product still
uses the processor.
"""
_MARKS_BY_FIXTURE = {"amqp_url": pytest.mark.rabbitmq, "browser": pytest.mark.browser}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--without-services", action="store_true", help="start no servers: for tests of pure code alone")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Set the environment before pytest-django and any conftest load the settings."""
    hold_collector()
    for name in os.environ.keys() - without_product(os.environ).keys():
        del os.environ[name]
    # If this process was started in the background, it ignores Ctrl-C, and so would every program that a test
    # interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    options = early_config.known_args_namespace
    if options.without_services or options.help or options.version:
        os.environ.update(MAAS_SECRET_KEY="none without services", MAAS_KEY_PEPPER="none without services")
        return
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        os.environ[_RUN] = _start_services(early_config).to_json()
    # The main process of several runs no tests, and the others, which do, import all that it hides from its children.
    runs_tests = worker is not None or not getattr(options, "numprocesses", None)
    _use_services(0 if worker is None else int(worker.removeprefix("gw")) + 1, hide_packages=runs_tests)


def _start_services(config: pytest.Config) -> RunAddress:
    services = RunServices()
    config.add_cleanup(services.stop)
    services.start()
    return services.address()


def _use_services(number: int, *, hide_packages: bool) -> None:
    address = RunAddress.from_json(os.environ[_RUN])
    address.create_database(number)
    os.environ.update(address.environment(number))
    if hide_packages:
        address.hide_packages()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures that they use. Tests that share a started fixture run in one process, which starts it
    once.
    """
    for item in items:
        asked: list[str] = getattr(item, "fixturenames", [])
        for fixture, mark in _MARKS_BY_FIXTURE.items():
            if fixture in asked:
                item.add_marker(mark)
        if _LIVE_STACK in asked:
            # These are two long groups, one for each process. A single group would be the last to end.
            group = f"{_LIVE_STACK} in a browser" if "browser" in asked else _LIVE_STACK
            item.add_marker(pytest.mark.xdist_group(group))
        elif shared := [fixture for fixture in _SHARED if fixture in asked]:
            item.add_marker(pytest.mark.xdist_group(shared[0]))
        elif item.get_closest_marker("xdist_group") is None and _shares_with_its_module(item):
            item.add_marker(pytest.mark.xdist_group(item.location[0].removesuffix(".py")))


def _shares_with_its_module(item: pytest.Item) -> bool:
    found = getattr(item, "_fixtureinfo", None)
    definitions = found.name2fixturedefs.values() if found else ()
    return any(one.scope == "module" for several in definitions for one in several)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Exclude the ten thousand tests and their modules from garbage collections."""
    settle_collector()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """Stop what a group has started after its last test. A single process runs groups in pieces, so it stops them at
    the end.
    """
    yield
    group = _group(item)
    if "PYTEST_XDIST_WORKER" not in os.environ or group is None or (nextitem and _group(nextitem) == group):
        return
    definitions = item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}
    for name in _STARTED:
        for definition in definitions.get(name, ()):
            definition.finish(item._request)  # type: ignore[attr-defined]


def _group(item: pytest.Item) -> object:
    mark = item.get_closest_marker("xdist_group")
    return mark.args or mark.kwargs if mark else None
