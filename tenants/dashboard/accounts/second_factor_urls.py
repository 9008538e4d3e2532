"""URLs for the use, setup and removal of second factors."""

from allauth.mfa.base import views as base
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as passkeys
from django.urls import path
from django.views.generic import RedirectView

from tenants.dashboard.accounts.people_only import people_only
from tenants.dashboard.accounts.second_factors import FirstCode, NewPasskey, TwoFactor
from tenants.dashboard.sign_in.throttling import (
    throttled_code,
    throttled_code_again,
    throttled_passkey,
    throttled_passkey_again,
)

_PAGES = "tenants/accounts/"
_OWN = "account/two-factor"

urlpatterns = [
    path(
        "sign-in/code",
        throttled_code(base.AuthenticateView.as_view(template_name=_PAGES + "code.html")),
        name="mfa_authenticate",
    ),
    path(
        "sign-in/passkey", throttled_passkey(passkeys.LoginWebAuthnView.as_view()), name="mfa_login_webauthn"
    ),
    path(
        "sign-in/again/code",
        people_only(
            throttled_code_again(base.ReauthenticateView.as_view(template_name=_PAGES + "code_again.html"))
        ),
        name="mfa_reauthenticate",
    ),
    path(
        "sign-in/again/passkey",
        people_only(
            throttled_passkey_again(
                passkeys.ReauthenticateWebAuthnView.as_view(template_name=_PAGES + "passkey_again.html")
            )
        ),
        name="mfa_reauthenticate_webauthn",
    ),
    path(_OWN, people_only(TwoFactor.as_view()), name="mfa_index"),
    path(f"{_OWN}/app", people_only(throttled_code_again(FirstCode.as_view())), name="mfa_activate_totp"),
    path(
        f"{_OWN}/app/remove",
        people_only(totp.DeactivateTOTPView.as_view(template_name=_PAGES + "app_remove.html")),
        name="mfa_deactivate_totp",
    ),
    path(
        f"{_OWN}/codes",
        people_only(codes.ViewRecoveryCodesView.as_view(template_name=_PAGES + "recovery_codes.html")),
        name="mfa_view_recovery_codes",
    ),
    path(
        f"{_OWN}/codes/new",
        people_only(
            codes.GenerateRecoveryCodesView.as_view(template_name=_PAGES + "recovery_codes_new.html")
        ),
        name="mfa_generate_recovery_codes",
    ),
    path(
        f"{_OWN}/codes.txt",
        people_only(codes.DownloadRecoveryCodesView.as_view(template_name=_PAGES + "recovery_codes.txt")),
        name="mfa_download_recovery_codes",
    ),
    path(f"{_OWN}/passkeys", RedirectView.as_view(pattern_name="mfa_index"), name="mfa_list_webauthn"),
    path(f"{_OWN}/passkeys/new", people_only(NewPasskey.as_view()), name="mfa_add_webauthn"),
    path(
        f"{_OWN}/passkeys/<int:pk>/remove",
        people_only(passkeys.RemoveWebAuthnView.as_view(template_name=_PAGES + "passkey_remove.html")),
        name="mfa_remove_webauthn",
    ),
]
