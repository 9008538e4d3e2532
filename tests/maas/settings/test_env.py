"""Tests of what the environment may contain, and of what is refused with the exact reason."""

import re
from ipaddress import ip_network
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from maas.process.own_servers import SERVERS
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


def test_files_of_make_up_are_not_read_where_embedded_servers_are_ruled_out(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "services.json").write_text('{"MAAS_DATABASE_URL": "postgres:///embedded"}')
    (tmp_path / "secrets.json").write_text('{"MAAS_SECRET_KEY": "of make up"}')
    home = {"MAAS_HOME": str(tmp_path)}
    assert Environment.read(home).values["MAAS_DATABASE_URL"] == "postgres:///embedded"
    assert Environment.read({**home, "MAAS_EMBEDDED": "0"}).values.keys() == {"MAAS_HOME", "MAAS_EMBEDDED"}


@pytest.mark.parametrize("missing", ["MAAS_DATABASE_URL", "MAAS_REDIS_URL", "MAAS_CACHE_URL", "MAAS_STORAGE_URL"])
def test_no_process_starts_without_own_servers_where_embedded_ones_are_ruled_out(tmp_path: Path, missing: str) -> None:
    own = dict.fromkeys(SERVERS, "given") | {"MAAS_HOME": str(tmp_path), "MAAS_EMBEDDED": "no"}
    Environment.read(own).require_own_servers()
    Environment.read({**own, missing: "", "MAAS_EMBEDDED": "1"}).require_own_servers()
    with pytest.raises(ImproperlyConfigured, match=f"there is no value of '{missing}'"):
        Environment.read({**own, missing: ""}).require_own_servers()


def gpu_share(value: str) -> float:
    return Environment(Path("/nowhere"), {"MAAS_GPU_SHARE": value}).share("MAAS_GPU_SHARE", 1)


def test_share_of_a_gpu_is_read() -> None:
    assert Environment(Path("/nowhere")).share("MAAS_GPU_SHARE", 1) == 1
    assert (gpu_share("0.25"), gpu_share("1")) == (0.25, 1)


@pytest.mark.parametrize("value", ["0", "-0.5", "1.5", "50%", "0,5", "nan", "inf"])
def test_what_is_no_share_is_refused_with_an_example(value: str) -> None:
    message = f"MAAS_GPU_SHARE={value!r} must be a number above 0 and at most 1, such as 0.5"
    with pytest.raises(ImproperlyConfigured, match=re.escape(message)):
        gpu_share(value)
