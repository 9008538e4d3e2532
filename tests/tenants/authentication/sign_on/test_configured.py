"""Tests that the environment names the other identity providers exactly, or the service does not start."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from tenants.authentication.sign_on.configured import sign_on_providers

OWN = {
    "MAAS_OIDC_ACME_URL": "https://id.acme.example",
    "MAAS_OIDC_ACME_CLIENT_ID": "us",
    "MAAS_OIDC_ACME_SECRET": "secret",
}


def test_nothing_is_there_unless_it_is_configured() -> None:
    assert sign_on_providers([], {**OWN, "MAAS_MICROSOFT_TENANT": "common"}, secure=True) == ()


def test_an_own_provider_is_called_by_its_name_unless_told_otherwise() -> None:
    (plain,) = sign_on_providers(["acme"], OWN, secure=True)
    (told,) = sign_on_providers(["acme"], {**OWN, "MAAS_OIDC_ACME_NAME": "Acme's staff"}, secure=True)
    assert (plain.id, plain.name, told.name) == ("acme", "Acme", "Acme's staff")


@pytest.mark.parametrize("name", ["google", "Acme", "a-b", "1a", "a/b", ""])
def test_a_name_that_cannot_stand_in_an_address_is_refused(name: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="MAAS_OIDC_PROVIDERS"):
        sign_on_providers([name], OWN, secure=False)


@pytest.mark.parametrize("missing", sorted(OWN))
def test_half_a_provider_is_refused(missing: str) -> None:
    given = {name: value for name, value in OWN.items() if name != missing}
    with pytest.raises(ImproperlyConfigured, match=missing):
        sign_on_providers(["acme"], given, secure=False)


def test_the_same_name_twice_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="twice"):
        sign_on_providers(["acme", "acme"], OWN, secure=False)


@pytest.mark.parametrize(("url", "secure"), [("id.acme.example", False), ("ftp://a", False), ("http://a", True)])
def test_an_address_that_cannot_be_trusted_is_refused(url: str, secure: bool) -> None:
    with pytest.raises(ImproperlyConfigured, match="MAAS_OIDC_ACME_URL"):
        sign_on_providers(["acme"], {**OWN, "MAAS_OIDC_ACME_URL": url}, secure=secure)


@pytest.mark.parametrize("name", ["GOOGLE", "GITHUB", "MICROSOFT"])
def test_a_known_one_needs_its_secret_and_no_address(name: str) -> None:
    given = {f"MAAS_{name}_CLIENT_ID": "us"}
    with pytest.raises(ImproperlyConfigured, match=f"MAAS_{name}_SECRET"):
        sign_on_providers([], given, secure=True)
    (found,) = sign_on_providers([], {**given, f"MAAS_{name}_SECRET": "secret"}, secure=True)
    assert found.id == name.lower()


@pytest.mark.parametrize(("directory", "issuer"), [("common", True), ("organizations", True), ("72f9-id", False)])
def test_microsofts_tokens_name_the_directory_that_a_person_comes_from(directory: str, issuer: bool) -> None:
    given = {
        "MAAS_MICROSOFT_CLIENT_ID": "us",
        "MAAS_MICROSOFT_SECRET": "s",
        "MAAS_MICROSOFT_TENANT": directory,
    }
    (found,) = sign_on_providers([], given, secure=True)
    assert found.url == f"https://login.microsoftonline.com/{directory}/v2.0"
    assert found.issuer == ("https://login.microsoftonline.com/{tenantid}/v2.0" if issuer else "")
