"""The settings of django-allauth, which decide how people sign in. They are pure."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from django.core.exceptions import ImproperlyConfigured

SignUp = Literal["open", "invitation", "closed"]
_LINK_DAYS = 3


def checked_sign_up(sign_up: str, *, secure: bool, email_url: str) -> str:
    """Check the setting that says who may sign up on their own."""
    if sign_up not in get_args(SignUp):
        raise ImproperlyConfigured(f"MAAS_SIGN_UP={sign_up!r} must be one of {', '.join(get_args(SignUp))}")
    if secure and sign_up == "open" and not email_url:
        raise ImproperlyConfigured(
            "MAAS_SIGN_UP=open needs a mail server where MAAS_SECURE=1, since addresses are confirmed by mail: "
            "set MAAS_EMAIL_URL, or MAAS_SIGN_UP=invitation"
        )
    return sign_up


def allauth_settings(*, secure: bool) -> Mapping[str, Any]:
    return {
        "ACCOUNT_ADAPTER": "tenants.dashboard.accounts.adapter.AccountAdapter",
        "ACCOUNT_USER_MODEL_USERNAME_FIELD": None,
        "ACCOUNT_LOGIN_METHODS": {"email"},
        "ACCOUNT_SIGNUP_FIELDS": ["email*", "password1*"],
        "ACCOUNT_FORMS": {
            "login": "tenants.dashboard.accounts.forms.SignInForm",
            "signup": "tenants.dashboard.accounts.forms.SignUpForm",
            "reset_password": "tenants.dashboard.accounts.forms.ForgottenPasswordForm",
            "reset_password_from_key": "tenants.dashboard.accounts.forms.NewPasswordForm",
            "change_password": "tenants.dashboard.accounts.forms.ChangePasswordForm",
            "set_password": "tenants.dashboard.accounts.forms.FirstPasswordForm",
            "add_email": "tenants.dashboard.accounts.forms.NewAddressForm",
        },
        "ACCOUNT_EMAIL_VERIFICATION": "mandatory",
        "ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS": _LINK_DAYS,
        "ACCOUNT_EMAIL_SUBJECT_PREFIX": "",
        "ACCOUNT_EMAIL_NOTIFICATIONS": True,
        # Every address that is entered receives an email, so neither the page nor its timing reveals whether the
        # address is known.
        "ACCOUNT_PREVENT_ENUMERATION": True,
        "ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS": True,
        "ACCOUNT_CHANGE_EMAIL": True,
        "ACCOUNT_SESSION_REMEMBER": True,
        "ACCOUNT_LOGIN_ON_PASSWORD_RESET": False,
        "ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE": False,
        "ACCOUNT_REAUTHENTICATION_REQUIRED": True,
        # The module tenants.dashboard.sign_in.throttling counts attempts. It considers proxies and locks out no other
        # person.
        "ACCOUNT_RATE_LIMITS": False,
        "ACCOUNT_DEFAULT_HTTP_PROTOCOL": "https" if secure else "http",
        "MFA_ADAPTER": "tenants.accounts.second_factors.SecondFactors",
        "MFA_SUPPORTED_TYPES": ["totp", "webauthn", "recovery_codes"],
        # A person who is signed in has a confirmed address. A second factor may be used while another address is
        # unconfirmed.
        "MFA_ALLOW_UNVERIFIED_EMAIL": True,
        "MFA_PASSKEY_LOGIN_ENABLED": True,
        "MFA_TOTP_ISSUER": "Document AI",
        "MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN": not secure,
        "MFA_FORMS": {
            "authenticate": "tenants.dashboard.accounts.second_factors.CodeForm",
            "reauthenticate": "tenants.dashboard.accounts.second_factors.CodeAgainForm",
            "activate_totp": "tenants.dashboard.accounts.second_factors.FirstCodeForm",
            "add_webauthn": "tenants.dashboard.accounts.second_factors.PasskeyForm",
        },
        "SOCIALACCOUNT_ADAPTER": "tenants.authentication.sign_on.adapter.SignOnAdapter",
        "SOCIALACCOUNT_AUTO_SIGNUP": False,
        "SOCIALACCOUNT_EMAIL_AUTHENTICATION": False,
        "SOCIALACCOUNT_STORE_TOKENS": False,
        "SOCIALACCOUNT_QUERY_EMAIL": True,
        "SOCIALACCOUNT_REQUESTS_TIMEOUT": 5,
        "PASSWORD_RESET_TIMEOUT": _LINK_DAYS * 24 * 3600,
    }
