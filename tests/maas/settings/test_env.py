"""Tests of what the environment may contain, and of what is refused with the exact reason."""

from ipaddress import ip_network
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from maas.settings.env import Environment
from tenants.core.http_client.own_hosts import Network


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


def own_hosts(value: str) -> frozenset[str | Network]:
    return Environment(Path("/nowhere"), {"MAAS_EGRESS_OWN_HOSTS": value}).own_hosts("MAAS_EGRESS_OWN_HOSTS")


def test_names_addresses_and_networks_of_the_operator_are_read() -> None:
    networks = {ip_network("198.51.100.0/24"), ip_network("93.184.216.34/32"), ip_network("2606:4700::/32")}
    assert own_hosts("") == frozenset()
    assert own_hosts("Status.Example.com, 198.51.100.0/24,93.184.216.34,2606:4700::/32") == {
        "status.example.com",
        *networks,
    }


@pytest.mark.parametrize("entry", ["https://a.example", "198.51.100.0/33", "1.2.3.4.5", "localhost", "*.example.com"])
def test_what_is_no_host_is_named(entry: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"MAAS_EGRESS_OWN_HOSTS names .* neither a host name"):
        own_hosts(f"a.example.com,{entry}")


@pytest.mark.parametrize("value", [" ", ",", " , "])
def test_layers_that_name_none_are_refused_rather_than_taken_for_none(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="names no layer"):
        layers(value, "landlock,seccomp")
