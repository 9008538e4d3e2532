from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.cells.reading import WrongCells, read_cells, written
from tenants.cells.signatures import public_key_of

EU, US, THIRD = b"e" * 32, b"u" * 32, b"t" * 32
EU_KEY, US_KEY, THIRD_KEY = (written(public_key_of(secret)) for secret in (EU, US, THIRD))
RIGHT: dict[str, Any] = {
    "own": "eu",
    "urls": "eu=https://eu.example.com,us=https://us.example.com",
    "keys": f"eu={EU_KEY},us={US_KEY}",
    "secret": written(EU),
    "control": "us",
}


def test_without_a_name_there_are_no_cells() -> None:
    cells = read_cells(own="", urls="", keys="", secret="", control="")
    assert not cells
    assert not cells.is_control
    assert cells.others == ()


def test_cells_are_read_with_their_addresses_and_keys() -> None:
    cells = read_cells(**RIGHT, redirect=True)
    assert cells
    assert (cells.own, cells.control, cells.is_control, cells.redirect) == ("eu", "us", False, True)
    assert cells.here.public_keys == (public_key_of(EU),)
    assert [(cell.name, cell.url) for cell in cells.others] == [("us", "https://us.example.com")]
    assert cells.secret == EU


def test_a_secret_is_shown_nowhere() -> None:
    cells = read_cells(**RIGHT)
    assert repr(EU) not in repr(cells)
    assert written(EU) not in repr(cells)


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("https://eu.example.com/", "https://eu.example.com"),
        ("https://EU.example.com:443", "https://eu.example.com"),
        ("https://eu.example.com:8443", "https://eu.example.com:8443"),
        ("http://127.0.0.1:8001", "http://127.0.0.1:8001"),
        ("http://[::1]:8001", "http://[::1]:8001"),
        ("http://localhost:8001", "http://localhost:8001"),
    ],
)
def test_addresses_have_one_form(url: str, base: str) -> None:
    cells = read_cells(**{**RIGHT, "urls": f"eu={url}, us=https://us.example.com"})
    assert cells.here.url == base


def test_a_cell_may_have_two_keys_while_its_key_is_replaced() -> None:
    cells = read_cells(**{**RIGHT, "keys": f"eu={EU_KEY},us={US_KEY},us={THIRD_KEY}"})
    assert cells.by_name["us"].public_keys == (public_key_of(US), public_key_of(THIRD))


def test_a_worker_needs_no_secret() -> None:
    assert read_cells(**{**RIGHT, "secret": ""}).secret == b""


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"own": ""}, "MAAS_CELLS is set, but MAAS_CELL"),
        ({"own": "", "urls": ""}, "MAAS_CONTROL_CELL is set, but MAAS_CELL"),
        ({"own": "ap"}, "MAAS_CELL is 'ap', which is not in MAAS_CELLS; there are 'eu', 'us'"),
        ({"own": "E U"}, "MAAS_CELL has the name 'E U': use a letter"),
        ({"own": "eu_1"}, "MAAS_CELL has the name 'eu_1'"),
        ({"control": "ap"}, "MAAS_CONTROL_CELL is 'ap', which is not in MAAS_CELLS"),
        ({"urls": "eu"}, "MAAS_CELLS has the entry 'eu': write it as eu=https://eu.example.com"),
        ({"urls": "eu=https://a.example,eu=https://b.example"}, "MAAS_CELLS names 'eu' twice"),
        ({"urls": "eu=https://a.example,us=https://A.example:443/"}, "gives 'eu' and 'us' the same address"),
        ({"urls": "eu=http://eu.example.com,us=https://us.example.com"}, "use https, because keys and documents"),
        ({"urls": "eu=ftp://eu.example.com,us=https://us.example.com"}, "use https://host or https://host:port"),
        ({"urls": "eu=https://,us=https://us.example.com"}, "use https://host"),
        ({"urls": "eu=https://eu.example.com/api,us=https://us.example.com"}, "leave out everything but the host"),
        ({"urls": "eu=https://me@eu.example.com,us=https://us.example.com"}, "leave out everything but the host"),
        ({"urls": "eu=https://eu.example.com:x,us=https://us.example.com"}, "which is not a URL"),
        ({"keys": f"eu={EU_KEY}"}, "MAAS_CELL_KEYS has no key of 'us'"),
        ({"keys": f"eu={EU_KEY},us={US_KEY},ap={THIRD_KEY}"}, "MAAS_CELL_KEYS names 'ap', which is not in MAAS_CELLS"),
        ({"keys": f"eu={EU_KEY},us={EU_KEY}"}, "twice: each cell needs a key of its own"),
        ({"keys": f"eu={EU_KEY},us=abc"}, "MAAS_CELL_KEYS gives 'us' 'abc', which is not a key"),
        ({"keys": f"eu={EU_KEY},us={US_KEY}="}, "which is not a key"),
        ({"secret": written(US)}, f"its public key is {US_KEY}"),
        ({"secret": "short"}, "MAAS_CELL_SECRET is not a secret"),
    ],
)
def test_wrong_settings_are_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(WrongCells) as refused:
        read_cells(**{**RIGHT, **changed})
    assert message in str(refused.value)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_other_text_is_refused_by_its_own_error(urls: str, keys: str) -> None:
    with pytest.raises(WrongCells):
        read_cells(own="eu", urls=urls, keys=keys, secret="", control="")
