"""Tests of what `make up` reads from the environment."""

from pathlib import Path

import pytest

from maas.local.launch.options import LaunchOptions
from maas.process.errors import InvalidOption


def test_defaults_listen_on_this_machine_alone() -> None:
    options = LaunchOptions.read({})
    assert (options.home.name, options.url) == ("var", "http://127.0.0.1:8000")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:9000"),
        ("192.0.2.7", "http://192.0.2.7:9000"),
        ("::1", "http://[::1]:9000"),
    ],
)
def test_address_can_be_opened_on_this_machine(host: str, url: str) -> None:
    assert LaunchOptions.read({"MAAS_HOST": host, "MAAS_PORT": "9000"}).url == url


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", "8000 ", "٨٠٠٠"])
def test_wrong_port_is_named(port: str) -> None:
    with pytest.raises(InvalidOption, match="MAAS_PORT="):
        LaunchOptions.read({"MAAS_PORT": port})


def test_one_port_for_both_is_refused_in_words() -> None:
    with pytest.raises(InvalidOption) as refused:
        LaunchOptions.read({"MAAS_PORT": "9000", "MAAS_GRPC_PORT": "9000"})
    assert str(refused.value) == (
        "MAAS_GRPC_PORT=9000 is MAAS_PORT, where HTTP is spoken: give gRPC a port of its own, or 0"
    )
    assert LaunchOptions.read({"MAAS_PORT": "9000", "MAAS_GRPC_PORT": "0"}).grpc_port == 0


def test_empty_variable_replaces_nothing() -> None:
    options = LaunchOptions.read({"MAAS_REDIS_URL": "", "MAAS_DATABASE_URL": "postgres://db/maas"})
    assert not options.replaces("MAAS_REDIS_URL")
    assert options.replaces("MAAS_DATABASE_URL")


def test_languages_are_read_in_order() -> None:
    assert LaunchOptions.read({"MAAS_OCR_LANGUAGES": "rus, ara"}).ocr_languages == ("rus", "ara")
    assert LaunchOptions.read({}).ocr_languages == ()


def test_unknown_language_is_refused_with_known_ones() -> None:
    with pytest.raises(InvalidOption, match="names 'xx', which is no known language: use codes such as rus, ukr"):
        LaunchOptions.read({"MAAS_OCR_LANGUAGES": "rus,xx"})


def test_folder_of_language_data_must_be_there(tmp_path: Path) -> None:
    assert LaunchOptions.read({"MAAS_TESSDATA": str(tmp_path)}).tessdata == tmp_path
    with pytest.raises(InvalidOption, match="is no folder"):
        LaunchOptions.read({"MAAS_TESSDATA": str(tmp_path / "missing")})


def test_nothing_is_launched_without_own_servers_where_embedded_ones_are_ruled_out() -> None:
    own = {
        "MAAS_EMBEDDED": "0",
        "MAAS_DATABASE_URL": "postgres://db/maas",
        "MAAS_REDIS_URL": "redis://durable",
        "MAAS_CACHE_URL": "",
    }
    with pytest.raises(InvalidOption) as refused:
        LaunchOptions.read(own)
    assert str(refused.value) == (
        "MAAS_EMBEDDED=0 rules out embedded servers, but there is no value of 'MAAS_CACHE_URL', 'MAAS_STORAGE_URL'. "
        "Set the URLs of your own servers."
    )
    complete = LaunchOptions.read({**own, "MAAS_CACHE_URL": "redis://cache", "MAAS_STORAGE_URL": "s3://files"})
    assert complete.replaces("MAAS_CACHE_URL")
