"""Tests of the operator's uploads of models, and of the lists of versions, variants, tasks and alias moves."""

import html
from pathlib import Path

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from inference.core.calls import Call
from inference.models import AliasMove, ModelTask, ModelVersion, ServedModel
from inference.registry.selectors import find_version
from inference.registry.task_runs import run_task
from inference.registry.tasks.claims import claim_task
from tenants.core.db.unit_of_work import operator_work
from tests.fixtures import unique
from tests.inference.registry.test_variant_reports import measured
from tests.inference.runtime.graphs import save_adder
from tests.jobs.conftest import Desk
from tests.maas.conftest import logged
from tests.maas.test_admin_actions import act, admitted_variant, own_version, waiting_task
from tests.maas.test_admin_models import version_form

ADD = "/admin/inference/servedmodel/add/"


def upload(operator: Client, file: Path, **changes: str) -> object:
    form = {
        "license": "MIT",
        "title": "Adder",
        "description": "Adds one.",
        "audience": "everyone",
        "isolated": "on",
        "price_micros": "7",
        "currency": "EUR",
        "price_per": "1",
        "price_meter": "call",
        **changes,
    }
    content = SimpleUploadedFile(file.name, file.read_bytes())
    return operator.post(ADD, {**form, "file": content})


def check_uploads() -> None:
    while (claim := claim_task("worker", (ModelTask.Kind.VALIDATE,))) is not None:
        run_task(claim, Call(), passes=lambda _: False)


def versions_of(name: str) -> list[ModelVersion]:
    with operator_work():
        return list(ModelVersion.objects.filter(served_model__name=name).select_related("served_model"))


def test_an_operator_uploads_a_model_and_follows_its_checks(operator: Client, tmp_path: Path) -> None:
    name = unique("uploaded")
    answer = upload(operator, save_adder(tmp_path / "adder.onnx"), model_name=name)
    (version,) = versions_of(name)
    page = reverse("admin:inference_modelversion_change", args=[version.pk])
    assert answer.headers["Location"] == page  # type: ignore[attr-defined]
    assert "waiting for a worker" in operator.get(page).content.decode()
    check_uploads()
    assert "trial run" in operator.get(page).content.decode()
    served = find_version(name, tenant_id=None).served_model
    assert (served.price_micros, served.title, served.isolated, served.tenant_id) == (7, "Adder", True, None)
    assert (versions_of(name)[0].author, logged(served.pk)) == ("operator", f"Added {name}@1, MIT.")


def test_the_next_version_of_a_model_leaves_its_price_and_title(operator: Client, tmp_path: Path) -> None:
    name = unique("uploaded")
    for floats, price in ((4, "7"), (5, "9")):
        file = save_adder(tmp_path / f"{floats}.onnx", floats=floats)
        upload(operator, file, model_name=name, price_micros=price, title=price)
    first, second = versions_of(name)
    assert (first.number, second.number) == (1, 2)
    assert (first.served_model.price_micros, first.served_model.title) == (7, "7")


def test_an_upload_that_is_refused_says_why_in_the_form(operator: Client, desk: Desk, tmp_path: Path) -> None:
    file = save_adder(tmp_path / "adder.onnx")
    taken = desk.version.served_model.name
    for name, reason in (
        ("no name", "Invalid name 'no name'."),
        (taken, "is a built-in model, and this is a single ONNX file."),
    ):
        answer = upload(operator, file, model_name=name)
        assert answer.status_code == 200  # type: ignore[attr-defined]
        assert reason in html.unescape(answer.content.decode())  # type: ignore[attr-defined]
    assert len(versions_of(taken)) == 1


def test_a_broken_file_is_refused_by_the_same_checks_as_a_tenants(operator: Client, tmp_path: Path) -> None:
    name = unique("uploaded")
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"This is no model.")
    upload(operator, broken, model_name=name)
    check_uploads()
    (version,) = versions_of(name)
    page = operator.get(reverse("admin:inference_modelversion_change", args=[version.pk])).content.decode()
    assert version.state == "refused"
    assert "model_corrupt" in page


def test_an_alias_is_set_on_the_page_of_its_model(operator: Client, desk: Desk) -> None:
    version = desk.version
    page = reverse("admin:inference_servedmodel_change", args=[version.served_model.pk])
    wrong = operator.post(page, version_form(version, alias="7", alias_number="1"))
    assert "Use a letter" in wrong.content.decode()
    assert "Give the number" in operator.post(page, version_form(version, alias="stable")).content.decode()
    right = version_form(version, alias="stable", alias_number=str(version.number))
    assert operator.post(page, right).status_code == 302
    name = version.served_model.name
    assert find_version(f"{name}@stable", tenant_id=None) == version
    moves = operator.get(reverse("admin:inference_aliasmove_changelist"), {"q": f"{name}@stable"})
    assert moves.context["cl"].result_count == 1
    assert "chosen in the admin" in moves.content.decode()


def test_what_answered_at_a_moment_is_the_newest_move_before_it(operator: Client, desk: Desk) -> None:
    served = desk.version.served_model
    with operator_work():
        AliasMove.objects.create(
            served_model=served, alias="champion", version=desk.version, moved_at="2026-03-03T14:00:00Z"
        )
    shown = reverse("admin:inference_aliasmove_changelist")
    for hour, rows in (("14:03", 1), ("13:59", 0)):
        until = {"q": f"{served.name}@champion", "moved_at_to_0": "2026-03-03", "moved_at_to_1": hour}
        assert operator.get(shown, until).context["cl"].result_count == rows


def test_models_of_accounts_are_listed_apart_and_paused(operator: Client, desk: Desk) -> None:
    with operator_work():
        served = own_version(desk).served_model
    models = reverse("admin:inference_servedmodel_changelist")
    for owner, rows in (("accounts", 1), ("installation", 0)):
        found = operator.get(models, {"q": served.name, "owner": owner})
        assert found.context["cl"].result_count == rows
    act(operator, served, "pause", confirmed="yes")
    with operator_work():
        assert ServedModel.objects.get(pk=served.pk).state == "suspended"


def test_a_task_is_canceled_for_its_account(operator: Client, desk: Desk) -> None:
    with operator_work():
        task = waiting_task(desk)
    act(operator, task, "cancel", confirmed="yes")
    with operator_work():
        task.refresh_from_db()
    assert task.state == "canceled"


def test_a_variant_is_shown_with_its_figures_and_used(operator: Client, desk: Desk) -> None:
    with operator_work():
        variant = admitted_variant(desk)
        variant.report = measured().to_json()
        variant.save()
    page = operator.get(reverse("admin:inference_modelvariant_change", args=[variant.pk])).content.decode()
    for shown in ("2.00 ×", "1.00 / 3.00 ms", "changed classes", "≤ 0.02"):
        assert shown in page
    act(operator, variant, "use", confirmed="yes")
    name = variant.version.served_model.name
    assert find_version(name, tenant_id=desk.identity.tenant_id).number == 2
