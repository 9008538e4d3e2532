import pytest

from maas_client import AsyncClient, Client, NotConfigured

KEY = "maas_live_of_nobody_in_particular"


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_address_and_key_come_from_the_environment_unless_given(
    kind: type[Client | AsyncClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAAS_URL", "https://maas.example.com/")
    monkeypatch.setenv("MAAS_API_KEY", KEY)
    assert repr(kind()) == f"{kind.__name__}('https://maas.example.com')"
    assert repr(kind("http://other.example:8000")) == f"{kind.__name__}('http://other.example:8000')"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "maas.example.com",
        "ftp://maas.example.com",
        "https://",
        "https://a:b@c",
        "http://h:99999",
        "http://h/?k=1",
    ],
)
def test_what_is_no_address_is_refused_at_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAAS_URL", raising=False)
    with pytest.raises(NotConfigured):
        Client(url, KEY)


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "schlüssel"])
def test_what_is_no_key_is_refused_without_being_quoted(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAAS_API_KEY", raising=False)
    with pytest.raises(NotConfigured) as refused:
        Client("https://maas.example.com", key)
    assert not key or key not in str(refused.value)
