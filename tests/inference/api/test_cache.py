"""Test `DELETE /v1/cache` through Django itself. The part of the guard is supplied as it would be."""

from dataclasses import replace

from django.test import Client

from tenants.authentication.selectors import results_generation
from tenants.identity.identity import Identity


def erase(identity: Identity) -> int:
    return Client().delete("/v1/cache", **{"maas.identity": identity}).status_code  # type: ignore[arg-type]


def test_it_outdates_ones_own_results_and_nobody_elses(identity: Identity, other_identity: Identity) -> None:
    before = results_generation(identity.tenant_id), results_generation(other_identity.tenant_id)
    assert erase(identity) == 204
    after = results_generation(identity.tenant_id), results_generation(other_identity.tenant_id)
    assert after == (before[0] + 1, before[1])


def test_a_key_that_may_only_read_erases_nothing(identity: Identity) -> None:
    before = results_generation(identity.tenant_id)
    assert erase(replace(identity, scopes=frozenset({"jobs:read"}))) == 403
    assert results_generation(identity.tenant_id) == before
