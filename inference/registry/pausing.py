"""The pause of a version that must not run, and the email about it to those who own the model."""

from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urljoin

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.urls import reverse

from inference.registry.models import ModelVersion
from tenants.accounts.mail import MailUnavailable, deliver
from tenants.accounts.models import Membership, User
from tenants.audit.services import record
from tenants.core.db.unit_of_work import operator_work

log = structlog.get_logger(__name__)
MAX_REASON = 500
AT_ONCE = 20
TRIED_FOR = timedelta(days=1)
_TEXT = """\
Version {version} of the model {model} of {whose} is paused: {reason}

It answers no calls any more. {answers}

The model: {link}
"""


def pause(version: ModelVersion, reason: str) -> bool:
    """Pause a version, as the operator and in a transaction. Return False if it is paused already."""
    running = ModelVersion.objects.filter(pk=version.pk, paused_reason="")
    if not running.update(paused_reason=reason[:MAX_REASON], paused_at=Now(), pause_mailed_at=None):
        return False
    if version.tenant_id is not None:
        record(
            tenant_id=version.tenant_id,
            action="model.version_paused",
            subject_id=version.pk,
            subject=version.key,
            note=reason,
        )
    return True


def notify_of_pauses() -> int:
    """Mail the owners of paused versions, once for each pause, and return the number of pauses that were mailed.

    A pause is marked before it is mailed. If the mail server is away, it is tried again for a day.
    """
    if not settings.MAAS_EMAIL_URL:
        return 0
    with operator_work():
        unknown = ModelVersion.objects.filter(paused_at__gt=Now() - TRIED_FOR, pause_mailed_at=None, deleted_at=None)
        found = unknown.exclude(paused_reason="").select_related("served_model", "tenant").order_by("paused_at")
        return sum(_notify(version, unknown) for version in found[:AT_ONCE])


def _notify(version: ModelVersion, unknown: "QuerySet[ModelVersion]") -> bool:
    if not unknown.filter(pk=version.pk).update(pause_mailed_at=Now()):
        return False  # another scheduler was faster
    try:
        _mail(_addresses(version), f"Model {version.key} is paused", _text(version))
    except MailUnavailable as error:
        ModelVersion.objects.filter(pk=version.pk).update(pause_mailed_at=None)
        log.warning("pause_not_mailed", version=version.engine_key, error=error.detail)
        return False
    return True


def _mail(addresses: Sequence[str], subject: str, text: str) -> None:
    """Send each recipient a separate email, because addresses are private. Raises MailUnavailable if nobody got one."""
    mailed = 0
    for address in addresses:
        try:
            deliver(EmailMessage(subject, text, to=[address]))
            mailed += 1
        except MailUnavailable:
            # If some recipients got the mail, it is not sent again for the sake of the others.
            if not mailed:
                raise
            return


def _addresses(version: ModelVersion) -> list[str]:
    """Return the addresses of the account's owners, or of the operators for a model of the installation."""
    if version.tenant_id is None:
        people = User.objects.filter(is_staff=True, is_active=True)
        return list(people.order_by("email").values_list("email", flat=True))
    owners = Membership.objects.filter(tenant_id=version.tenant_id, role=Membership.Role.OWNER, user__is_active=True)
    return list(owners.order_by("user__email").values_list("user__email", flat=True))


def _text(version: ModelVersion) -> str:
    served, tenant = version.served_model, version.tenant
    if served.current_id == version.pk:
        answers = "Correct it, add it as a new version, and move the alias to that version."
    else:
        answers = "Calls of the model's name get another version."
    if tenant:
        page = reverse("own-model", args=[served.name])
    else:
        page = reverse("admin:inference_servedmodel_change", args=[served.pk])
    return _TEXT.format(
        version=version.number,
        model=served.name,
        whose=f"the account {' '.join(tenant.name.split())}" if tenant else "the installation",
        reason=" ".join(version.paused_reason.split()),
        answers=answers,
        link=urljoin(settings.MAAS_PUBLIC_URL, page),
    )
