"""Tests of the email about a paused version: to the owners of the model, once for each pause."""

from pathlib import Path
from typing import Any

import pytest
from django.core import mail

from inference.models import ModelTask, ModelVersion
from inference.registry.isolation import pause_version
from inference.registry.pausing import notify_of_pauses
from inference.registry.uploads import ModelUpload, add_upload
from maas.local.supervisor.ports import free_port
from tenants.accounts.models import User
from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.inference.runtime.graphs import save_adder


@pytest.fixture(autouse=True)
def mailing(settings: Any) -> None:
    settings.MAAS_EMAIL_URL = "smtp://nobody"
    settings.MAAS_PUBLIC_URL = "https://models.example.com"
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


@pytest.fixture
def own_version(tenant: CreatedTenant, tmp_path: Path) -> ModelVersion:
    file = save_adder(tmp_path / "adder.onnx")
    upload = ModelUpload(name=unique("own"), file=file, license="MIT")
    version, task = add_upload(owner=tenant.tenant.id, upload=upload)
    with operator_work():
        ModelTask.objects.filter(pk=task.pk).update(state=ModelTask.State.CANCELED)
    return version


def bodies(address: str) -> list[str]:
    return [str(one.body) for one in mail.outbox if one.to == [address]]


def test_the_owner_gets_one_email_with_the_reason_and_the_page(
    tenant: CreatedTenant, own_version: ModelVersion
) -> None:
    for _ in range(2):
        pause_version("", own_version.engine_key, "it was ended by the signal SIGSEGV")
        notify_of_pauses()
    (body,) = bodies(tenant.owner.email)
    assert "signal SIGSEGV" in body
    assert f"https://models.example.com/own-models/{own_version.served_model.name}" in body
    with unit_of_work(tenant.tenant.id):
        entry = AuditEntry.objects.get(action="model.version_paused")
    assert (entry.subject_name, "SIGSEGV" in entry.note) == (own_version.key, True)


def test_a_version_of_the_installation_is_told_to_the_operators(version: ModelVersion) -> None:
    with operator_work():
        staff = User.objects.create_user(f"{unique('op')}@example.com", "x", is_staff=True)
    pause_version("", version.engine_key, "it was ended")
    assert notify_of_pauses() >= 1
    (body,) = [body for body in bodies(staff.email) if version.served_model.name in body]
    assert "/admin/" in body


def test_while_the_mail_server_is_away_the_email_is_tried_again(
    tenant: CreatedTenant, own_version: ModelVersion, settings: Any
) -> None:
    pause_version("", own_version.engine_key, "it was ended")
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    notify_of_pauses()
    assert bodies(tenant.owner.email) == []
    settings.EMAIL_BACKEND = working
    notify_of_pauses()
    assert len(bodies(tenant.owner.email)) == 1


def test_an_old_pause_and_one_of_a_deleted_version_are_not_mailed(
    tenant: CreatedTenant, own_version: ModelVersion
) -> None:
    with operator_work():
        ModelVersion.objects.filter(pk=own_version.pk).update(paused_reason="an upgrade")
    notify_of_pauses()
    assert bodies(tenant.owner.email) == []
