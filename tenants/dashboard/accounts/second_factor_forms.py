"""Forms about second factors."""

from typing import Any

import structlog
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django import forms
from django.utils.translation import gettext_lazy as _
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)
_LONGEST_CODE = 20


def _code(label: str) -> forms.CharField:
    attrs = {"autocomplete": "one-time-code", "autofocus": True, "spellcheck": "false"}
    return forms.CharField(label=label, max_length=_LONGEST_CODE, widget=forms.TextInput(attrs=attrs))


class _Once:
    """A form whose code works once. Without the cache Redis, which knows the used codes, no code is accepted."""

    def clean_code(self) -> str:
        try:
            code: str = super().clean_code()  # type: ignore[misc]
        except RedisError as error:
            log.warning("second_factor_code_not_checked", error=str(error))
            raise forms.ValidationError(
                _("App codes cannot be checked right now. Try again in a minute, or use a recovery code.")
            ) from error
        return code


class CodeForm(_Once, AuthenticateForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"] = _code("Code")


class CodeAgainForm(_Once, ReauthenticateForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"] = _code("Code")


class FirstCodeForm(ActivateTOTPForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"] = _code("Code from the app")


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Each passkey can also replace the password, so it asks for the finger, face or PIN.
        self.fields["passwordless"] = forms.BooleanField(initial=True, widget=forms.HiddenInput)
        self.fields["name"] = forms.CharField(
            label=_("Name"),
            max_length=100,
            required=False,
            help_text=_("For example “phone” or “blue key”."),
        )
        self.initial["name"] = ""
        self.order_fields(["name"])
