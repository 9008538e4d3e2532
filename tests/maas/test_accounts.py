"""What an installation says about who may come in, and what it may not say."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from maas.accounts import Doors
from maas.env import Environment


def doors(*, secure: bool = False, email_url: str = "", **values: str) -> Doors:
    return Doors.read(Environment(Path("/nowhere"), values), secure=secure, email_url=email_url)


def test_people_come_by_invitation_unless_told() -> None:
    assert doors().sign_up == "invitation"
    assert doors(MAAS_SIGN_UP="open").sign_up == "open"


def test_nothing_starts_with_a_word_that_is_none() -> None:
    with pytest.raises(
        ImproperlyConfigured, match="MAAS_SIGN_UP='opne' must be one of open, invitation, closed"
    ):
        doors(MAAS_SIGN_UP="opne")


def test_nothing_starts_that_could_not_confirm_who_signs_up() -> None:
    with pytest.raises(ImproperlyConfigured, match="set MAAS_EMAIL_URL, or MAAS_SIGN_UP=invitation"):
        doors(MAAS_SIGN_UP="open", secure=True)
    assert doors(MAAS_SIGN_UP="open", secure=True, email_url="smtp://mail").sign_up == "open"
