"""Two web processes as cells of one installation. They share this run's servers, since these tests are about the way
between cells; `test_two_cells` has two whole products.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from pytest_django import Settings

from tenants.onboarding.create_tenant import CreatedTenant, create_tenant
from tests.fixtures import unique
from tests.maas.granian_server import GranianServer
from tests.maas.web.cells.cell_settings import cell_variables
from tests.maas.web.cells.link import Link


@dataclass(frozen=True)
class TwoCells:
    eu: GranianServer
    us: GranianServer
    to_us: Link


@pytest.fixture(scope="module")
def two_cells() -> Iterator[TwoCells]:
    """Yield the cells. `eu` stands behind a proxy, so that its callers can come from anywhere."""
    us = GranianServer("maas.asgi:application")
    eu = GranianServer("maas.asgi:application", {"MAAS_PROXIES": "1"})
    with Link(us.port) as to_us:
        cells = f"eu={eu.url},us={to_us.url}"
        for name, server in (("us", us), ("eu", eu)):
            server.give(cell_variables(name, cells))
        with us, eu:
            yield TwoCells(eu, us, to_us)


@pytest.fixture
def us_tenant(settings: Settings) -> CreatedTenant:
    settings.MAAS_CELL = "us"
    made = create_tenant(name=unique("tenant"), email=f"{unique('owner')}@example.com", password="correct horse")
    settings.MAAS_CELL = ""
    return made


@pytest.fixture
def eu_tenant(settings: Settings) -> CreatedTenant:
    settings.MAAS_CELL = "eu"
    made = create_tenant(name=unique("tenant"), email=f"{unique('owner')}@example.com", password="correct horse")
    settings.MAAS_CELL = ""
    return made
