"""Sends email to people about their accounts, or writes it to the log if an installation has no mail server."""

from contextlib import suppress
from functools import partial
from smtplib import SMTPException

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string

from tenants.accounts.models import User
from tenants.core.db.unit_of_work import current_alias
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)


class MailUnavailable(DomainError):
    """An email that a person waits for could not be sent."""

    code = "mail_unavailable"
    gate = "mail"


def is_shown_in_the_log() -> bool:
    """Return whether email, with its links, is written to the log. Only a development machine may do this."""
    return not settings.MAAS_EMAIL_URL and not settings.SECURE_SSL_REDIRECT


def deliver(message: EmailMessage) -> None:
    """Send an email. Raises MailUnavailable."""
    if is_shown_in_the_log():
        log.warning("mail_written_to_log", to=message.to, subject=message.subject, text=message.body)
        return
    if not settings.MAAS_EMAIL_URL:
        raise MailUnavailable(
            "This needs an email, and this service cannot send emails. Ask the operator of this service."
        )
    try:
        message.send()
    except (SMTPException, OSError) as error:
        log.warning("mail_not_sent", error=str(error))
        raise MailUnavailable(
            "The email could not be sent. Try again in a few minutes.", extra={"retry_after_s": 60}
        ) from error


def say_access_was_set(person: User, *, to: str) -> None:
    """Notify a person by email of a change of their access, after the change is committed. It is also in the audit
    log, for installations without email.
    """
    text = render_to_string("tenants/accounts/access_set.txt", {"person": person})
    message = EmailMessage("Your sign-in was changed", text, to=[to])
    transaction.on_commit(partial(_deliver_if_possible, message), using=current_alias(), robust=True)


def _deliver_if_possible(message: EmailMessage) -> None:
    with suppress(MailUnavailable):
        deliver(message)
