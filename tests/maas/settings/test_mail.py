"""Tests of where mail goes, which one URL configures."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from maas.settings.mail import mail_settings


def test_without_an_address_nothing_is_mailed() -> None:
    assert mail_settings("")["EMAIL_BACKEND"].endswith("dummy.EmailBackend")


def test_mail_may_be_printed() -> None:
    assert mail_settings("console:")["EMAIL_BACKEND"].endswith("console.EmailBackend")


def test_a_mail_server_is_named_with_all_it_needs() -> None:
    found = mail_settings("smtp://us%40er:pa%2Fss@mail.example.com?from=a@example.com")
    assert found["EMAIL_HOST"] == "mail.example.com"
    assert (found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"]) == ("us@er", "pa/ss")
    assert (found["EMAIL_PORT"], found["EMAIL_USE_TLS"], found["EMAIL_USE_SSL"]) == (587, True, False)
    assert found["DEFAULT_FROM_EMAIL"] == "a@example.com"


def test_tls_may_begin_at_once_or_never() -> None:
    at_once = mail_settings("smtps://mail.example.com")
    assert (at_once["EMAIL_PORT"], at_once["EMAIL_USE_TLS"], at_once["EMAIL_USE_SSL"]) == (465, False, True)
    assert not mail_settings("smtp://mail.example.com:25?starttls=0")["EMAIL_USE_TLS"]


@pytest.mark.parametrize("url", ["mail.example.com", "http://mail.example.com", "smtp://", "smtp://a?tls=1"])
def test_what_is_no_mail_server_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="MAAS_EMAIL_URL"):
        mail_settings(url)
