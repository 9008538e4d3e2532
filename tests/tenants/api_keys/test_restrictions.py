import pytest

from tenants.api_keys.restrictions import MOST, InvalidRestriction, checked_models, checked_networks
from tenants.identity.networks import may_come_from


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("203.0.113.7", "203.0.113.7/32"),
        ("203.0.113.0/24", "203.0.113.0/24"),
        (" 2001:DB8::/32 ", "2001:db8::/32"),
        ("2001:db8::1", "2001:db8::1/128"),
    ],
)
def test_a_network_is_kept_as_it_is_usually_written(written: str, kept: str) -> None:
    assert checked_networks([written, written, ""]) == [kept]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("office", "not an IP address"),
        ("203.0.113.7/24", "Did you mean 203.0.113.0/24"),
        ("2001:db8::1/32", "Did you mean 2001:db8::/32"),
        ("0.0.0.0/0", "allows all addresses"),
        ("::/0", "allows all addresses"),
        ("203.0.113.0/33", "not an IP address"),
        ("127.1", "not an IP address"),
        ("::ffff:203.0.113.0/120", "IPv4 network"),
        ("203.0.113.0/24,10.0.0.1", "not an IP address"),
    ],
)
def test_what_is_no_network_is_refused_with_what_would_be_right(written: str, said: str) -> None:
    with pytest.raises(InvalidRestriction, match=said):
        checked_networks([written])


@pytest.mark.parametrize(
    ("networks", "address", "may"),
    [
        ([], "192.0.2.1", True),
        ([], "unknown", True),
        (["192.0.2.0/24"], "192.0.2.1", True),
        (["192.0.2.0/24"], "192.0.3.1", False),
        (["192.0.2.0/24"], "unknown", False),
        (["192.0.2.0/24"], "2001:db8::1", False),
        (["10.0.0.0/8", "2001:db8::/32"], "2001:db8:1::9", True),
    ],
)
def test_an_address_is_in_one_of_the_networks_or_kept_out(networks: list[str], address: str, may: bool) -> None:
    assert may_come_from(networks, address) is may


def test_models_are_named_without_a_version_and_once() -> None:
    assert checked_models(["embed", " parse ", "embed", ""]) == ["embed", "parse"]
    for wrong in ("embed@3", "a b", "../embed", "x" * 101):
        with pytest.raises(InvalidRestriction):
            checked_models([wrong])


def test_a_list_ends_somewhere() -> None:
    with pytest.raises(InvalidRestriction, match=str(MOST)):
        checked_models([f"model-{number}" for number in range(MOST + 1)])
