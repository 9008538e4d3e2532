"""Test the operator's page of all cells, and that what came from the control cell is only read in another."""

import html
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import msgspec
import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from inference.models import ModelPool, ServedModel
from jobs.cells.sync import sync_cells
from jobs.cells.watch import watch_cells
from tenants.cells.cells import Cells
from tenants.cells.models import CellChange, DirectoryEntry, PeerCell
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.models import Plan
from tenants.tiers.models import Tier
from tests.fixtures import unique
from tests.jobs.cells.stand_in import StandIn, model_part, plan_part, stand_in, version_part


@pytest.fixture
def control(settings: Settings) -> Iterator[StandIn]:
    with stand_in() as peer:
        settings.MAAS_CELL, settings.MAAS_CELLS = peer.cells.own, peer.cells
        peer.report = {
            "tenants": 7,
            "workers": 3,
            "waiting_work_s": 12.34,
            "version": 5,
            "made_at": datetime.now(UTC).isoformat(),
            "refused": [],
        }
        yield peer


def shown(operator: Client, name: str = "admin-cells-live") -> str:
    answer = operator.get(reverse(name))
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


def test_all_cells_are_shown_with_their_figures_and_refused_parts(operator: Client, control: StandIn) -> None:
    lost = model_part(versions=[version_part(steps={"part": "nowhere@1"})])
    control.give(models=[lost])
    sync_cells()
    watch_cells()
    page = shown(operator)
    assert f'href="{control.url}/admin/">{control.name}</a>' in page
    assert "12.3 s" in page
    assert "this cell" in page
    assert f"model {lost.name} is not applied. It uses nowhere@1, which is not in this cell." in page
    assert "<title> Cells |" in shown(operator, "admin-cells")


def test_a_cell_that_is_away_is_shown_with_its_last_figures_and_at_once(operator: Client, control: StandIn) -> None:
    control.give()
    watch_cells()
    control.cut_bytes = 1
    watch_cells()
    with operator_work():
        PeerCell.objects.filter(name=control.name).update(answered_at=datetime.now(UTC) - timedelta(hours=3))
    asked = len(control.asked)
    page = shown(operator)
    assert len(control.asked) == asked  # The page asks nobody.
    assert "away since" in page
    assert "3 h ago" in page
    assert "12.3 s" in page
    assert "broke off" in page


def test_without_cells_the_page_says_so(operator: Client, settings: Settings) -> None:
    settings.MAAS_CELLS = Cells()
    assert "MAAS_CELL is not set" in shown(operator)
    assert reverse("admin-cells") not in operator.get("/admin/").content.decode()


def test_what_came_from_the_control_cell_is_only_read(operator: Client, control: StandIn) -> None:
    model, plan = model_part(), plan_part()
    control.give(models=[model], plans=[plan])
    sync_cells()
    with operator_work():
        served = ServedModel.objects.get(tenant=None, name=model.name)
        made = Plan.objects.get(code=plan.code)
        pool = ModelPool.objects.create(name=unique("pool"))
        tier = Tier.objects.create(name=unique("tier"))
        assert served.current is not None
        pages = {
            reverse("admin:tenants_plan_change", args=[made.pk]): True,
            reverse("admin:inference_servedmodel_change", args=[served.pk]): True,
            reverse("admin:inference_modelversion_change", args=[served.current.pk]): False,
        }
    for address, may_save in pages.items():
        text = html.unescape(operator.get(address).content.decode())
        assert f"Change it there: {control.url}/admin/" in text
        assert ('name="_save"' in text) is may_save
    plan_page, model_page, _ = pages
    versions = {f"{name}-{key}": 0 for name in ("prices", "included") for key in ("TOTAL_FORMS", "INITIAL_FORMS")}
    answer = operator.post(plan_page, {"name": "Mine", "monthly_fee_micros": 1, "tier": tier.pk, **versions})
    assert answer.status_code == 302
    inlines = {f"{name}-{key}": 0 for name in ("shares", "batch_settings") for key in ("TOTAL_FORMS", "INITIAL_FORMS")}
    assert operator.post(model_page, {"pool": pool.pk, "price_micros": 1, **inlines}).status_code == 302
    with operator_work():
        served.refresh_from_db()
        made.refresh_from_db()
    assert (made.name, made.monthly_fee_micros, made.tier_id) == ("Pro", 10_000_000, tier.pk)
    control.give(models=[model], plans=[msgspec.structs.replace(plan, name="Renamed")])
    sync_cells()
    with operator_work():
        made.refresh_from_db()
    assert (made.name, made.tier_id) == ("Renamed", tier.pk)
    assert (served.pool_id, served.price_micros) == (pool.pk, 1000)


def test_the_operator_of_a_cell_stops_a_model_there(operator: Client, control: StandIn) -> None:
    model = model_part()
    control.give(models=[model])
    sync_cells()
    with operator_work():
        served = ServedModel.objects.get(tenant=None, name=model.name)
    listed = reverse("admin:inference_servedmodel_changelist")
    for action, state in (("pause", "suspended"), ("resume", "active"), ("roll_back", "active")):
        operator.post(listed, {"action": action, "_selected_action": served.pk, "confirmed": "yes"}, follow=True)
        with operator_work():
            served.refresh_from_db()
        assert served.state == state


def test_a_model_that_the_control_cell_has_paused_is_not_called_active(operator: Client, control: StandIn) -> None:
    model = model_part(state="paused")
    control.give(models=[model])
    sync_cells()
    with operator_work():
        served = ServedModel.objects.get(tenant=None, name=model.name)
    listed = reverse("admin:inference_servedmodel_changelist")
    answer = operator.post(listed, {"action": "resume", "_selected_action": served.pk}, follow=True)
    text = html.unescape(answer.content.decode())
    assert "cannot be resumed in this cell while the control cell has paused it" in text
    assert f"Change it there: {control.url}/admin/" in text
    assert "0 now active." in text
    with operator_work():
        served.refresh_from_db()
        assert not LogEntry.objects.filter(object_id=str(served.pk), change_message__contains="Now active").exists()
    assert served.state == "paused"


def test_the_control_cell_changes_what_it_gives(operator: Client, control: StandIn, settings: Settings) -> None:
    plan = plan_part()
    control.give(plans=[plan])
    sync_cells()
    settings.MAAS_CELLS = Cells("here", "here", control.cells.by_name, control.cells.secret)
    with operator_work():
        made = Plan.objects.get(code=plan.code)
    assert 'name="_save"' in operator.get(reverse("admin:tenants_plan_change", args=[made.pk])).content.decode()


def test_the_directory_and_the_log_are_read_and_searched(operator: Client) -> None:
    name, key = unique("far"), unique("plan")
    with operator_work():
        entry = DirectoryEntry.objects.create(id=uuid4(), name=name, home="us", state="active")
        CellChange.objects.create(cell="eu", version=1, kind="plan", key=key, changes="created")
    for term in (name, str(entry.id)):
        assert name in operator.get(reverse("admin:tenants_directoryentry_changelist"), {"q": term}).content.decode()
    assert "created" in operator.get(reverse("admin:tenants_cellchange_changelist"), {"q": key}).content.decode()
