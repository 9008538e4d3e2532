"""Tests of what an installation may configure about who is admitted, and of what it may not configure."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from maas.settings.accounts import checked_sign_up


def test_nothing_starts_with_a_word_that_is_none() -> None:
    with pytest.raises(ImproperlyConfigured, match="MAAS_SIGN_UP='opne' must be one of open, invitation, closed"):
        checked_sign_up("opne", secure=False, email_url="")


def test_nothing_starts_that_could_not_confirm_who_signs_up() -> None:
    with pytest.raises(ImproperlyConfigured, match="set MAAS_EMAIL_URL, or MAAS_SIGN_UP=invitation"):
        checked_sign_up("open", secure=True, email_url="")
    assert checked_sign_up("open", secure=True, email_url="smtp://mail") == "open"
    assert checked_sign_up("open", secure=False, email_url="") == "open"
