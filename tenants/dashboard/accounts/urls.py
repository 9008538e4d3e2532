"""URLs of sign-up, identity proofs, second factors, sign-in through other services, and of a person's own pages.

Each of django-allauth's pages has the name that it looks for, our URL, our texts, and our count of attempts.
"""

from typing import Any

from allauth.account import views as own
from allauth.account.decorators import reauthentication_required
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as passkeys
from allauth.socialaccount.views import LoginCancelledView
from django.urls import path, register_converter
from django.urls.converters import StringConverter
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from tenants.dashboard.accounts import sign_on, views
from tenants.dashboard.accounts.confirming import ConfirmAddress, MailedCode, mail_code
from tenants.dashboard.accounts.second_factors import NewPasskey, TwoFactor
from tenants.dashboard.sign_in import throttling as count
from tenants.dashboard_base.members import people_only


class _Person(StringConverter):
    """A part of a path that ends at the first dash, because the key after it contains dashes too."""

    regex = "[0-9A-Za-z]+"


register_converter(_Person, "person")


def _page(view: Any, name: str, **more: str) -> Any:
    return view.as_view(template_name=f"tenants/accounts/{name}", **more)


_again = _page(own.ReauthenticateView, "again.html")
_code = _page(mfa.AuthenticateView, "code.html")
_code_again = _page(mfa.ReauthenticateView, "code_again.html")
_passkey_again = _page(passkeys.ReauthenticateWebAuthnView, "passkey_again.html")
_first_code = _page(totp.ActivateTOTPView, "app.html")
_sign_up = _page(own.SignupView, "sign_up.html", template_name_signup_closed="tenants/accounts/sign_up_closed.html")
_change_address = _page(own.EmailView, "change_address.html")
_change_password = _page(own.PasswordChangeView, "change_password.html")
_first_password = reauthentication_required(_page(own.PasswordSetView, "first_password.html"))

_FOR_ANYBODY = (
    ("sign-in/code", count.throttled_code(_code), "mfa_authenticate"),
    ("sign-in/passkey", count.throttled_passkey(passkeys.LoginWebAuthnView.as_view()), "mfa_login_webauthn"),
    ("sign-in/with/<str:provider_id>", count.throttled_away(sign_on.go_there), "sign-on"),
    ("sign-in/with/<str:provider_id>/back", count.forgiven_away(sign_on.come_back), "sign-on-back"),
    (
        "sign-in/stopped",
        require_safe(_page(LoginCancelledView, "sign_on_stopped.html")),
        "socialaccount_login_cancelled",
    ),
    ("sign-up/through", count.throttled_mail(sign_on.SignUpThrough.as_view()), "socialaccount_signup"),
    ("sign-up", count.throttled_mail(_sign_up), "account_signup"),
    (
        "sign-up/sent",
        _page(own.EmailVerificationSentView, "confirmation_sent.html"),
        "account_email_verification_sent",
    ),
    ("confirm-email/<str:key>", count.throttled_link(ConfirmAddress.as_view()), "account_confirm_email"),
    (
        "password/forgotten",
        count.throttled_mail(_page(own.PasswordResetView, "forgotten.html")),
        "account_reset_password",
    ),
    (
        "password/forgotten/sent",
        _page(own.PasswordResetDoneView, "forgotten_sent.html"),
        "account_reset_password_done",
    ),
    (
        "password/new/<person:uidb36>-<str:key>",
        _page(own.PasswordResetFromKeyView, "new_password.html"),
        "account_reset_password_from_key",
    ),
    (
        "password/renewed",
        _page(own.PasswordResetFromKeyDoneView, "password_renewed.html"),
        "account_reset_password_from_key_done",
    ),
    ("shut", _page(own.AccountInactiveView, "inactive.html"), "account_inactive"),
    (
        "account/two-factor/passkeys",
        RedirectView.as_view(pattern_name="mfa_index"),
        "mfa_list_webauthn",
    ),
)
_FOR_PEOPLE = (
    ("sign-in/again", count.throttled_password(_again), "account_reauthenticate"),
    ("sign-in/again/code", count.throttled_code_again(_code_again), "mfa_reauthenticate"),
    ("sign-in/again/passkey", count.throttled_passkey_again(_passkey_again), "mfa_reauthenticate_webauthn"),
    ("sign-in/again/mail", count.throttled_code_again(MailedCode.as_view()), "mailed-code"),
    ("sign-in/again/mail/send", count.throttled_own_mail(mail_code), "mail-code"),
    ("account/two-factor", TwoFactor.as_view(), "mfa_index"),
    ("account/two-factor/app", count.throttled_code_again(_first_code), "mfa_activate_totp"),
    (
        "account/two-factor/app/remove",
        _page(totp.DeactivateTOTPView, "app_remove.html"),
        "mfa_deactivate_totp",
    ),
    (
        "account/two-factor/codes",
        _page(codes.ViewRecoveryCodesView, "recovery_codes.html"),
        "mfa_view_recovery_codes",
    ),
    (
        "account/two-factor/codes/new",
        _page(codes.GenerateRecoveryCodesView, "recovery_codes_new.html"),
        "mfa_generate_recovery_codes",
    ),
    (
        "account/two-factor/codes.txt",
        _page(codes.DownloadRecoveryCodesView, "recovery_codes.txt"),
        "mfa_download_recovery_codes",
    ),
    ("account/two-factor/passkeys/new", NewPasskey.as_view(), "mfa_add_webauthn"),
    (
        "account/two-factor/passkeys/<int:pk>/remove",
        _page(passkeys.RemoveWebAuthnView, "passkey_remove.html"),
        "mfa_remove_webauthn",
    ),
    ("account/sign-on", sign_on.connections, "socialaccount_connections"),
    (
        "account/sign-on/<str:provider_id>/connect",
        count.throttled_away(sign_on.connect_there),
        "connect-sign-on",
    ),
    ("account/sign-on/<str:provider_id>/remove", sign_on.take_away, "remove-sign-on"),
    ("account", views.account, "account"),
    ("account/delete", views.delete_oneself, "delete-person"),
    ("account/sessions", views.session_list, "sessions"),
    ("account/sessions/end-others", views.end_others, "end-other-sessions"),
    ("account/sessions/<int:session_id>/end", views.end_one, "end-session"),
    ("account/email", count.throttled_mail(_change_address), "account_email"),
    ("account/email/keep", views.keep_address, "keep-address"),
    ("account/password", count.throttled_password(_change_password), "account_change_password"),
    ("account/password/first", _first_password, "account_set_password"),
)

urlpatterns = [
    *(path(route, view, name=name) for route, view, name in _FOR_ANYBODY),
    *(path(route, people_only(view), name=name) for route, view, name in _FOR_PEOPLE),
]
