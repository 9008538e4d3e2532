"""Notifies an account's owners by email that it will be deleted, that this is soon, and that it is done."""

from collections.abc import Sequence
from typing import Literal
from urllib.parse import urljoin

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse

from tenants.accounts.mail import MailUnavailable, deliver
from tenants.accounts.models import Tenant

log = structlog.get_logger(__name__)
What = Literal["asked", "reminded", "erased"]
ASKED: What = "asked"
ERASED: What = "erased"
_SUBJECTS = {
    "asked": "{} will be deleted on {}",
    "reminded": "{} will be deleted on {}",
    "erased": "{} was deleted",
}


def notify_owners(what: What, tenant: Tenant, addresses: Sequence[str]) -> None:
    """Send the notification. A failure is only logged: nobody waits for the email, and what it says is true in any
    case.
    """
    day = f"{tenant.closes_at:%Y-%m-%d}" if tenant.closes_at else ""
    subject = " ".join(_SUBJECTS[what].format(tenant.name, day).split())
    context = {
        "tenant": tenant,
        "link": urljoin(settings.MAAS_PUBLIC_URL, reverse("delete-tenant")),
        "service": settings.MAAS_PUBLIC_URL,
    }
    text = render_to_string(f"tenants/deletion/{what}.txt", context).strip() + "\n"
    for address in addresses:
        try:
            deliver(EmailMessage(subject, text, to=[address]))
        except MailUnavailable as error:
            log.warning("account_notice_not_mailed", error=error.detail)
