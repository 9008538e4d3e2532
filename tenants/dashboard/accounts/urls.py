"""URLs of sign-up, of identity proofs, and of a person's own page.

Each of django-allauth's pages has the name that it looks for, our URL, our texts, and our count of attempts.
"""

from allauth.account import views
from allauth.account.decorators import reauthentication_required
from django.urls import include, path, register_converter

from tenants.dashboard.accounts.confirming import ConfirmAddress
from tenants.dashboard.accounts.deleting import delete_oneself
from tenants.dashboard.accounts.mailed_code import MailedCode, mail_code
from tenants.dashboard.accounts.people_only import people_only
from tenants.dashboard.accounts.sessions import end_one, end_others, session_list
from tenants.dashboard.accounts.views import account, keep_address
from tenants.dashboard.sign_in.throttling import (
    throttled_code_again,
    throttled_link,
    throttled_mail,
    throttled_own_mail,
    throttled_password,
)

_PAGES = "tenants/accounts/"


class _Person:
    """A path part that ends before the first dash, because the key after it contains a dash too."""

    regex = "[0-9A-Za-z]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(_Person, "person")

urlpatterns = [
    path("", include("tenants.dashboard.accounts.second_factor_urls")),
    path("", include("tenants.dashboard.accounts.sign_on_urls")),
    path(
        "sign-up",
        throttled_mail(
            views.SignupView.as_view(
                template_name=_PAGES + "sign_up.html",
                template_name_signup_closed=_PAGES + "sign_up_closed.html",
            )
        ),
        name="account_signup",
    ),
    path(
        "sign-up/sent",
        views.EmailVerificationSentView.as_view(template_name=_PAGES + "confirmation_sent.html"),
        name="account_email_verification_sent",
    ),
    path(
        "confirm-email/<str:key>",
        throttled_link(ConfirmAddress.as_view()),
        name="account_confirm_email",
    ),
    path(
        "password/forgotten",
        throttled_mail(views.PasswordResetView.as_view(template_name=_PAGES + "forgotten.html")),
        name="account_reset_password",
    ),
    path(
        "password/forgotten/sent",
        views.PasswordResetDoneView.as_view(template_name=_PAGES + "forgotten_sent.html"),
        name="account_reset_password_done",
    ),
    path(
        "password/new/<person:uidb36>-<str:key>",
        views.PasswordResetFromKeyView.as_view(template_name=_PAGES + "new_password.html"),
        name="account_reset_password_from_key",
    ),
    path(
        "password/renewed",
        views.PasswordResetFromKeyDoneView.as_view(template_name=_PAGES + "password_renewed.html"),
        name="account_reset_password_from_key_done",
    ),
    path(
        "shut",
        views.AccountInactiveView.as_view(template_name=_PAGES + "inactive.html"),
        name="account_inactive",
    ),
    path("account", people_only(account), name="account"),
    path("account/delete", people_only(delete_oneself), name="delete-person"),
    path("account/sessions", people_only(session_list), name="sessions"),
    path("account/sessions/end-others", people_only(end_others), name="end-other-sessions"),
    path("account/sessions/<int:session_id>/end", people_only(end_one), name="end-session"),
    path(
        "account/email",
        people_only(throttled_mail(views.EmailView.as_view(template_name=_PAGES + "change_address.html"))),
        name="account_email",
    ),
    path("account/email/keep", people_only(keep_address), name="keep-address"),
    path(
        "account/password",
        people_only(
            throttled_password(
                views.PasswordChangeView.as_view(template_name=_PAGES + "change_password.html")
            )
        ),
        name="account_change_password",
    ),
    path(
        "account/password/first",
        people_only(
            reauthentication_required(
                views.PasswordSetView.as_view(template_name=_PAGES + "first_password.html")
            )
        ),
        name="account_set_password",
    ),
    path(
        "sign-in/again",
        people_only(
            throttled_password(views.ReauthenticateView.as_view(template_name=_PAGES + "again.html"))
        ),
        name="account_reauthenticate",
    ),
    path("sign-in/again/mail", people_only(throttled_code_again(MailedCode.as_view())), name="mailed-code"),
    path("sign-in/again/mail/send", people_only(throttled_own_mail(mail_code)), name="mail-code"),
]
