"""Pytest plugin: a tenant, a second tenant, and model versions to work with. Each test has its own."""

import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]

from inference.registry.models import ModelAlias, ModelVersion, ServedModel
from inference.registry.references import CURRENT
from tenants.api_keys.services import create_key
from tenants.authentication.selectors import identify_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant, create_tenant

_numbers = itertools.count()


def unique(word: str) -> str:
    return f"{word}-{os.getpid()}-{next(_numbers)}"


@pytest.fixture(scope="session", autouse=True)
def _static_files_are_looked_for_once() -> Iterator[None]:
    """Search for static files only once. Each test has its own client, whose middleware would search for every file
    again.
    """
    look = WhiteNoiseMiddleware.add_files_from_finders
    found: dict[str, Any] = {}

    def look_once(self: WhiteNoiseMiddleware) -> None:
        if not found:
            look(self)
            found.update(self.files)
        self.files.update(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", look_once)
        yield


@pytest.fixture
def tenant() -> CreatedTenant:
    return create_tenant(name=unique("tenant"), email=f"{unique('owner')}@example.com", password="correct horse")


@pytest.fixture
def other_tenant() -> CreatedTenant:
    return create_tenant(name=unique("tenant"), email=f"{unique('owner')}@example.com", password="correct horse")


@pytest.fixture
def identity(tenant: CreatedTenant) -> Identity:
    return identify_key(tenant.key.text)


@pytest.fixture
def working_identity(tenant: CreatedTenant) -> Identity:
    """Return the identity of a key without chosen scopes: it works on documents and jobs, and sees neither money nor
    the audit log.
    """
    with unit_of_work(tenant.tenant.id):
        made = create_key(tenant_id=tenant.tenant.id, name="works")
    return identify_key(made.text)


@pytest.fixture
def other_identity(other_tenant: CreatedTenant) -> Identity:
    return identify_key(other_tenant.key.text)


def model_version(
    runtime: str = "embed", meter: str = "call", price_micros: int = 1500, cache_ttl_s: int = 0
) -> ModelVersion:
    """Create a model that no other test uses, so that only this test uses its queue. Every page of it is run."""
    with operator_work():
        served = ServedModel.objects.create(
            name=unique("model"),
            accepts=["text", "texts", "document"],
            price_meter=meter,
            price_micros=price_micros,
            cached_price_micros=price_micros // 10,
            cache_ttl_s=cache_ttl_s,
        )
        version = ModelVersion.objects.create(served_model=served, number=1, runtime=runtime, digest="0" * 64)
        make_current(version)
    return version


def make_current(version: ModelVersion) -> None:
    """Make the version answer for its model. The caller sees every tenant."""
    ModelAlias.objects.update_or_create(served_model=version.served_model, name=CURRENT, defaults={"version": version})
    version.served_model.refresh_from_db(fields=["current"])


@pytest.fixture
def make_version() -> Callable[..., ModelVersion]:
    return model_version


@pytest.fixture
def version(make_version: Callable[..., ModelVersion]) -> ModelVersion:
    return make_version()
