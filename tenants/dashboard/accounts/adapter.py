"""The product's settings for django-allauth: messages, emails, links and the rules of admission."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.contrib import messages
from django.core.mail import EmailMessage
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from tenants.accounts.addresses import belongs_to_another, has_address, vouch_for
from tenants.accounts.mail import MailUnavailable, deliver
from tenants.accounts.models import User
from tenants.accounts.proving import METHOD, has_nothing_to_show, has_proved_lately
from tenants.accounts.unconfirmed import make_room_for
from tenants.core.asgi.client_ip import UNKNOWN, client_address, place_of
from tenants.dashboard_base.home import beginning

log = structlog.get_logger(__name__)
_NO_ADDRESS = "0.0.0.0"  # noqa: S104  # the value for an unknown client IP in a column of addresses
_SAID: Mapping[str, str] = {
    "account/messages/password_changed.txt": "Password changed.",
    "account/messages/password_set.txt": "Password set.",
    "account/messages/email_confirmed.txt": "Email address confirmed.",
    "account/messages/email_confirmation_failed.txt": "This email address belongs to another profile. Use another.",
    "account/messages/email_deleted.txt": "Email address removed.",
    "usersessions/messages/sessions_logged_out.txt": "Sessions ended.",
    "mfa/messages/totp_activated.txt": "Authenticator app set up.",
    "mfa/messages/totp_deactivated.txt": "Authenticator app removed.",
    "mfa/messages/recovery_codes_generated.txt": "New recovery codes created. The old codes no longer work.",
    "mfa/messages/webauthn_added.txt": "Passkey added.",
    "mfa/messages/webauthn_removed.txt": "Passkey removed.",
}
"""The messages that people see on the next page. A change without a message here is visible on that page itself."""


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": "Wrong email or password.",
        "incorrect_password": "Wrong password.",
        "enter_current_password": "Wrong current password.",
        "duplicate_email": "This is already your email address.",
        "invalid_password_reset": "This link was already used or has expired. Request a new link.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.MAAS_SIGN_UP == "open")

    def pre_login(self, request: HttpRequest, user: User, **kwargs: Any) -> Any:
        if not has_address(user):
            vouch_for(user)
        return super().pre_login(request, user, **kwargs)

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Return whether to ask for a proof. People without password and second factor are redirected instead."""
        asks = bool(super().is_reauthentication_required(app=app, **kwargs))
        request = self.request
        if not asks or has_proved_lately(request):
            return False
        if has_nothing_to_show(request.user):
            raise ReauthenticationRequired
        return True

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if not found and has_nothing_to_show(user):
            found = [{"id": METHOD, "description": "Use a code by email", "url": reverse("mailed-code")}]
        return found

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        make_room_for(email_address.email, beside=email_address.user)
        if belongs_to_another(email_address.email, email_address.user):
            self.add_message(request, messages.ERROR, "account/messages/email_confirmation_failed.txt")
            return False
        return bool(super().confirm_email(request, email_address))

    def set_password(self, user: User, password: str) -> None:
        """Write the password alone: this role may not write, even unchanged, whether a person is an operator."""
        user.set_password(password)
        user.save(update_fields=["password"])

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *told: Any, **named: Any
    ) -> None:
        text = named.get("message") or _SAID.get(message_template or "")
        if text:
            messages.add_message(request, level, text, extra_tags=named.get("extra_tags", ""))

    def render_mail(
        self, template_prefix: str, email: str, context: dict[str, Any], headers: Any = None
    ) -> EmailMessage:
        context_of_mail = {**context, "email": email, "service": settings.MAAS_PUBLIC_URL}
        subject = " ".join(render_to_string(f"{template_prefix}_subject.txt", context_of_mail).split())
        text = render_to_string(f"{template_prefix}_message.txt", context_of_mail).strip() + "\n"
        return EmailMessage(subject, text, to=[email], headers=headers)

    def send_confirmation_mail(self, request: HttpRequest, emailconfirmation: Any, signup: bool) -> None:
        address = emailconfirmation.email_address
        context = {
            "user": address.user,
            "key": emailconfirmation.key,
            "activate_url": self.get_email_confirmation_url(request, emailconfirmation),
            "has_password": address.user.has_usable_password(),
        }
        name = "email_confirmation_signup" if signup else "email_confirmation"
        self.send_mail(f"account/email/{name}", address.email, context)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        deliver(self.render_mail(template_prefix, email, context))

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Send a notification. A failure is only logged, because the action is done and nobody waits for the email."""
        try:
            super().send_notification_mail(*args, **kwargs)
        except MailUnavailable as error:
            log.warning("account_notice_not_mailed", error=error.detail)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return urljoin(settings.MAAS_PUBLIC_URL, reverse("account_confirm_email", args=[emailconfirmation.key]))

    def get_reset_password_from_key_url(self, key: str) -> str:
        path = reverse("account_reset_password_from_key", kwargs={"uidb36": "UID", "key": "KEY"})
        return urljoin(settings.MAAS_PUBLIC_URL, path.replace("UID-KEY", key))

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        return beginning(request)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client IP that people read in the list of their sessions."""
        address = client_address(request.META, settings.MAAS_PROXIES)
        network = place_of(address)
        return _NO_ADDRESS if network == UNKNOWN else network.partition("/")[0]
