"""Test that a cell takes over what the control cell gives, and nothing that is false, old or contradictory."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from django.core.files.storage import default_storage
from pytest_django import Settings

from inference.registry.aliases import move_alias
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.services import set_paused
from jobs.cells import sync
from jobs.cells.documents import AccountPart, IncludedPart, PricePart
from jobs.cells.files import FALSE_FILES
from jobs.cells.model_parts import stored_name
from jobs.cells.sync import sync_cells
from tenants.billing.ledger.subscriptions import subscribe
from tenants.cells.models import CellChange, DirectoryEntry, PeerCell, ReplicatedPart
from tenants.cells.replicated import ChangedElsewhere
from tenants.cells.signatures import new_secret
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import Plan, PlanPrice
from tests.fixtures import make_current, unique
from tests.jobs.cells.stand_in import StandIn, file_part, model_part, plan_part, stand_in, version_part


@pytest.fixture
def control(settings: Settings) -> Iterator[StandIn]:
    with stand_in() as peer:
        settings.MAAS_CELL, settings.MAAS_CELLS = peer.cells.own, peer.cells
        yield peer


def peer_of(control: StandIn) -> PeerCell:
    with operator_work():
        return PeerCell.objects.get(name=control.name)


def refused(control: StandIn) -> dict[str, str]:
    return {entry["part"]: entry["reason"] for entry in peer_of(control).refused}


def served(name: str) -> ServedModel | None:
    with operator_work():
        return ServedModel.objects.filter(tenant=None, name=name, deleted_at=None).select_related("current").first()


def price(amount_micros: int | None, begins: timedelta, meter: str = "page") -> PricePart:
    return PricePart("", meter, datetime.now(UTC) + begins, amount_micros, 1, None, None)


def amounts(code: str) -> list[tuple[int | None, bool]]:
    """Return the prices of a plan in their order, each with whether it has begun."""
    with operator_work():
        found = PlanPrice.objects.filter(plan__code=code).order_by("valid_from")
        return [(row.amount_micros, row.valid_from <= datetime.now(UTC)) for row in found]


def test_a_model_with_its_file_and_a_plan_appear_here(control: StandIn) -> None:
    content = unique("weights").encode() * 1000
    file = file_part(content)
    control.files = {file.sha256: content}
    model = model_part(versions=[version_part(files={"weights": file})], aliases={"current": 1, "champion": 1})
    hour = timedelta(hours=1)
    plan = plan_part(
        limits={"requests_per_minute": 100, "weight": 3},
        prices=[price(900, -2 * hour), price(800, -hour), price(700, hour)],
        included=[IncludedPart("", "page", datetime.now(UTC) - hour, 50)],
    )
    control.give(models=[model], plans=[plan])
    assert sync_cells() == 1
    here = served(model.name)
    assert here is not None
    assert here.current is not None
    assert (here.current.number, here.current.config, here.state) == (1, {"labels": ["a", "b"], "scale": 1.0}, "active")
    assert default_storage.open(stored_name(file)).read() == content
    with operator_work():
        made = Plan.objects.get(code=plan.code)
        assert (made.monthly_fee_micros, made.requests_per_minute, made.weight) == (10_000_000, 100, 3)
        assert [unit.quantity for unit in made.included.all()] == [50]
        assert CellChange.objects.filter(key=model.name, cell=control.name, version=control.version).exists()
    assert amounts(plan.code) == [(800, True), (700, False)]
    assert refused(control) == {}


def test_an_unchanged_export_is_not_sent_again_and_changes_nothing(control: StandIn) -> None:
    model, plan = model_part(), plan_part(prices=[price(5, -timedelta(days=1))])
    control.give(models=[model], plans=[plan])
    assert sync_cells() == 1
    assert sync_cells() == 0
    assert control.asked[-1][1] == f'"{control.version}"'
    before = peer_of(control)
    control.give(models=[model], plans=[plan])  # a newer version of the same content
    assert sync_cells() == 1
    with operator_work():
        assert CellChange.objects.filter(key__in=[model.name, plan.code]).count() == 2
    assert amounts(plan.code) == [(5, True)]
    assert peer_of(control).version > before.version


@pytest.mark.parametrize("how", ["signature", "bytes", "older", "truncated", "form", "other cell", "away"])
def test_what_is_false_old_or_incomplete_changes_nothing(control: StandIn, how: str) -> None:
    control.give(models=[model_part()])
    sync_cells()
    first = control.version
    model = model_part()
    control.give(models=[model])
    newest = control.version
    expected = {
        "signature": "not signed with a key",
        "bytes": "not signed with a key",
        "older": "is older than",
        "form": "It has the form 7",
        "other cell": "It is of the cell",
    }
    match how:
        case "signature":
            control.signing = new_secret()
        case "bytes":
            control.spoil = lambda body: body.replace(b'"price_micros":1000', b'"price_micros":0000')
        case "older":
            control.version = first - 1
        case "truncated":
            control.cut_bytes = 10
        case "form":
            control.before_signing = (b'"format":1', b'"format":7')
        case "other cell":
            control.before_signing = (f'"{control.name}"'.encode(), b'"elsewhere"')
        case "away":
            control.cut_bytes = 10**6
    assert sync_cells() == 0
    assert served(model.name) is None
    assert expected.get(how, "") in peer_of(control).refusal
    assert peer_of(control).version == first
    # Healed, it catches up.
    control.signing, control.spoil, control.cut_bytes, control.version = b"", bytes, 0, newest
    control.before_signing = (b"", b"")
    assert sync_cells() == 1
    assert served(model.name) is not None
    assert peer_of(control).refusal == ""


def test_prices_do_not_wait_for_files(control: StandIn) -> None:
    content = unique("weights").encode()
    file = file_part(content)
    model, plan = model_part(versions=[version_part(files={"weights": file})]), plan_part()
    control.give(models=[model], plans=[plan])
    seen: list[bool] = []

    class Watched(dict[str, bytes]):
        def get(self, sha256: str, default: object = None) -> bytes:
            with operator_work():
                seen.append(Plan.objects.filter(code=plan.code).exists())
            return content

    control.files = Watched()
    sync_cells()
    assert seen == [True]
    assert served(model.name) is not None
    assert refused(control) == {}


def test_many_files_do_not_delay_a_newer_export(control: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    contents = [unique("weights").encode() for _ in range(2)]
    files = [file_part(content) for content in contents]
    control.files = {file.sha256: content for file, content in zip(files, contents, strict=True)}
    models = [model_part(versions=[version_part(files={"weights": file})]) for file in files]
    control.give(models=models)
    with monkeypatch.context() as late:
        late.setattr(sync, "FETCHING_S", -1.0)
        sync_cells()
    assert "is fetched after others" in refused(control)[f"model {models[0].name}"]
    sync_cells()
    assert refused(control) == {}
    assert all(served(model.name) for model in models)


@pytest.mark.parametrize("how", ["digest", "short", "missing"])
def test_a_model_whose_file_is_false_is_left_out_and_the_rest_applied(control: StandIn, how: str) -> None:
    content = unique("weights").encode()
    file = file_part(content)
    control.files = {"digest": {file.sha256: content[::-1]}, "short": {file.sha256: content[:-1]}}.get(how, {})
    model, other = model_part(versions=[version_part(files={"weights": file})]), model_part()
    control.give(models=[model, other], plans=[plan_part()])
    sync_cells()
    assert served(model.name) is None
    assert served(other.name) is not None
    assert not default_storage.exists(stored_name(file))
    reason = {"digest": "has the digest", "short": "instead of", "missing": "answered with 404"}[how]
    assert reason in refused(control)[f"model {model.name}"]
    control.files = {file.sha256: content}
    if how == "digest":
        sync_cells()
        assert "fetched again in 1 min" in refused(control)[f"model {model.name}"]
        FALSE_FILES.clear()
    sync_cells()  # The export is the same, and what was refused is tried again.
    assert served(model.name) is not None
    assert refused(control) == {}


def test_a_new_version_an_alias_a_price_and_a_deletion_follow(control: StandIn) -> None:
    model = model_part(versions=[version_part(1), version_part(2)], aliases={"current": 1, "old": 1})
    control.give(models=[model])
    sync_cells()
    changed = msgspec.structs.replace(
        model, versions=[version_part(2), version_part(3, state="retired")], aliases={"current": 2}, price_micros=7
    )
    control.give(models=[changed])
    sync_cells()
    here = served(model.name)
    assert here is not None
    assert here.current is not None
    assert (here.current.number, here.price_micros) == (2, 7)
    with operator_work():
        states = dict(ModelVersion.objects.filter(served_model=here, deleted_at=None).values_list("number", "state"))
        assert list(here.aliases.values_list("name", flat=True)) == ["current"]
    assert states == {2: "ready", 3: "retired"}
    control.give()
    sync_cells()
    assert served(model.name) is None
    with operator_work():
        assert not ReplicatedPart.objects.filter(key=model.name).exists()


def test_a_price_and_a_pause_do_not_wait_for_a_version_whose_file_is_missing(control: StandIn) -> None:
    content = unique("weights").encode()
    model, file = model_part(aliases={"current": 1}), file_part(content)
    control.give(models=[model])
    sync_cells()
    versions = [version_part(1, state="retired"), version_part(2, files={"weights": file})]
    changed = msgspec.structs.replace(
        model, versions=versions, aliases={"current": 2, "next": 2}, state="paused", price_micros=7
    )
    control.give(models=[changed])
    sync_cells()
    here = served(model.name)
    assert here is not None
    assert here.current is not None
    assert (here.current.number, here.current.state, here.state, here.price_micros) == (1, "ready", "paused", 7)
    with operator_work():
        reasons = [entry["reason"] for entry in peer_of(control).refused]
    assert reasons[0].startswith("Version 2 is left out. The file model.onnx")
    control.files = {file.sha256: content}
    sync_cells()
    assert refused(control) == {}
    here = served(model.name)
    assert here is not None
    assert here.current is not None
    assert here.current.number == 2


def test_storage_that_does_not_answer_stops_neither_prices_nor_accounts(
    control: StandIn, settings: Settings, tmp_path: Path
) -> None:
    model, far = model_part(), AccountPart(uuid4(), "Far", "eu", "active")
    control.give(models=[model])
    sync_cells()
    blocked = tmp_path / "storage"
    blocked.write_text("not a folder")
    file, plan = file_part(content := unique("weights").encode()), plan_part()
    control.files = {file.sha256: content}
    versions = [version_part(1), version_part(2, files={"weights": file})]
    changed = msgspec.structs.replace(model, versions=versions, aliases={"current": 2}, price_micros=7)
    control.give(models=[changed], plans=[plan], accounts=[far])
    before = settings.STORAGES
    settings.STORAGES = {**before, "default": {**before["default"], "OPTIONS": {"location": str(blocked)}}}
    sync_cells()
    here = served(model.name)
    assert here is not None
    assert (here.current and here.current.number, here.price_micros) == (1, 7)
    assert "The storage of this cell does not answer" in refused(control)[f"model {model.name}"]
    with operator_work():
        assert Plan.objects.filter(code=plan.code).exists()
        assert DirectoryEntry.objects.filter(id=far.id).exists()
    settings.STORAGES = before
    sync_cells()
    assert refused(control) == {}
    here = served(model.name)
    assert here is not None
    assert here.current is not None
    assert here.current.number == 2


def test_a_pipeline_comes_after_its_members_and_never_without_them(control: StandIn) -> None:
    member = model_part()
    pipeline = model_part(versions=[version_part(runtime="ocr", steps={"lines": f"{member.name}@1"})])
    lost = model_part(versions=[version_part(runtime="ocr", steps={"lines": "nowhere@1"})])
    control.give(models=[pipeline, lost, member])
    sync_cells()
    here = served(pipeline.name)
    assert here is not None
    assert here.current is not None
    with operator_work():
        assert [str(step) for step in here.current.steps.all()] == [f"lines: {member.name}@1"]
    assert refused(control) == {f"model {lost.name}": "It uses nowhere@1, which is not in this cell."}
    assert served(lost.name) is None


def test_a_name_that_is_taken_here_is_refused_and_the_same_model_is_taken_over(
    control: StandIn, version: ModelVersion
) -> None:
    name = version.served_model.name
    other = model_part(name=name, accepts=["text", "texts", "document"])
    control.give(models=[other])
    sync_cells()
    assert "The name is taken: version 1 is 000000000000 in this cell" in refused(control)[f"model {name}"]
    with operator_work():
        assert ServedModel.objects.get(tenant=None, name=name).price_micros == 1500
    same = version_part(digest="0" * 64, runtime="embed")
    control.give(models=[msgspec.structs.replace(other, versions=[same])])
    sync_cells()
    assert refused(control) == {}
    here = served(name)
    assert here is not None
    assert here.price_micros == 1000


def test_a_version_that_only_this_cell_has_is_never_lost(control: StandIn, version: ModelVersion) -> None:
    with operator_work():
        second = ModelVersion.objects.create(
            served_model=version.served_model, number=2, runtime="embed", digest="2" * 64
        )
        make_current(second)
    name = version.served_model.name
    control.give(models=[model_part(name=name, versions=[version_part(digest="0" * 64, runtime="embed")])])
    sync_cells()
    assert "has made a version 2" in refused(control)[f"model {name}"]


def test_an_unknown_runtime_is_refused_until_the_release_has_it(control: StandIn) -> None:
    model = model_part(versions=[version_part(runtime="holographic")])
    control.give(models=[model])
    sync_cells()
    assert "Upgrade this cell" in refused(control)[f"model {model.name}"]


def test_a_model_of_the_control_cell_is_changed_there_alone(control: StandIn) -> None:
    model = model_part(versions=[version_part(1), version_part(2)])
    control.give(models=[model])
    sync_cells()
    with pytest.raises(ChangedElsewhere, match=f"Change it there: {control.url}/admin/"):
        move_alias(owner=None, model=model.name, alias="current", number=1)


def test_a_model_that_is_stopped_here_stays_stopped(control: StandIn) -> None:
    model = model_part()
    control.give(models=[model])
    sync_cells()
    set_paused(name=model.name, paused=True)
    control.give(models=[msgspec.structs.replace(model, price_micros=9)])
    sync_cells()
    here = served(model.name)
    assert here is not None
    assert (here.state, here.price_micros) == ("suspended", 9)
    control.give(models=[msgspec.structs.replace(model, state="paused")])
    sync_cells()
    control.give(models=[model])
    sync_cells()
    here = served(model.name)
    assert here is not None
    assert here.state == "suspended"
    set_paused(name=model.name, paused=False)
    here = served(model.name)
    assert here is not None
    assert here.state == "active"


@pytest.mark.parametrize("stopped_here", [True, False])
def test_a_model_that_the_control_cell_has_paused_is_resumed_there_alone(control: StandIn, stopped_here: bool) -> None:
    model = model_part(state="paused")
    control.give(models=[model])
    sync_cells()
    if stopped_here:
        set_paused(name=model.name, paused=True)
    with pytest.raises(ChangedElsewhere, match=f"has paused it.*Change it there: {control.url}/admin/"):
        set_paused(name=model.name, paused=False)
    here = served(model.name)
    assert here is not None
    assert here.state == ("suspended" if stopped_here else "paused")


def test_a_model_that_was_stopped_before_the_cell_joined_stays_stopped(control: StandIn, version: ModelVersion) -> None:
    name = version.served_model.name
    set_paused(name=name, paused=True)
    model = model_part(name=name, versions=[version_part(digest="0" * 64, runtime="embed")])
    control.give(models=[model])
    sync_cells()
    assert refused(control) == {}
    control.give(models=[msgspec.structs.replace(model, price_micros=9)])
    sync_cells()
    here = served(name)
    assert here is not None
    assert (here.state, here.price_micros) == ("suspended", 9)


def test_a_price_that_began_while_the_cell_was_away_begins_when_it_learns_of_it(
    control: StandIn, tenant: CreatedTenant
) -> None:
    hour = timedelta(hours=1)
    plan = plan_part(prices=[price(900, -9 * hour), price(700, 2 * hour)])
    control.give(plans=[plan])
    sync_cells()
    with operator_work():
        subscribe(tenant_id=tenant.tenant.id, plan=Plan.objects.get(code=plan.code))
    later = msgspec.structs.replace(plan, prices=[price(900, -9 * hour), price(850, -hour), price(650, 3 * hour)])
    control.give(plans=[later])
    sync_cells()
    assert refused(control) == {}
    assert amounts(plan.code) == [(900, True), (850, True), (650, False)]


def test_a_fee_that_accounts_of_this_cell_pay_stays(control: StandIn, tenant: CreatedTenant) -> None:
    plan = plan_part()
    control.give(plans=[plan])
    sync_cells()
    with operator_work():
        subscribe(tenant_id=tenant.tenant.id, plan=Plan.objects.get(code=plan.code))
    control.give(plans=[msgspec.structs.replace(plan, monthly_fee_micros=1, name="Other")])
    sync_cells()
    reason = refused(control)[f"plan {plan.code}"]
    assert "its fee is 10.00 EUR here and 0.000001 EUR there" in reason
    with operator_work():
        assert Plan.objects.get(code=plan.code).name == "Pro"  # nothing of it is applied


def test_a_plan_of_this_cell_with_other_prices_is_refused_while_accounts_have_it(
    control: StandIn, tenant: CreatedTenant
) -> None:
    code = unique("plan")
    with operator_work():
        own = Plan.objects.create(code=code, name="Own", monthly_fee_micros=10_000_000)
        PlanPrice.objects.create(plan=own, model="", meter="page", amount_micros=100, valid_from=datetime.now(UTC))
        subscribe(tenant_id=tenant.tenant.id, plan=own)
    control.give(plans=[plan_part(code=code, prices=[price(200, -timedelta(hours=1))])])
    sync_cells()
    assert "prices differ: 'all models per page'" in refused(control)[f"plan {code}"]
    assert amounts(code) == [(100, True)]


def test_accounts_of_other_cells_are_known_and_own_accounts_stay_own(control: StandIn, tenant: CreatedTenant) -> None:
    far = AccountPart(uuid4(), "Far", "eu", "active")
    ours = AccountPart(uuid4(), "Ours", "here", "active")
    stolen = AccountPart(tenant.tenant.id, "Stolen", "eu", "active")
    control.give(accounts=[far, ours, stolen])
    sync_cells()
    with operator_work():
        assert list(DirectoryEntry.objects.values_list("id", "name", "home")) == [(far.id, "Far", "eu")]
    assert "and is here" in refused(control)["accounts"]
    control.give(accounts=[msgspec.structs.replace(far, state="suspended")])
    sync_cells()
    with operator_work():
        assert list(DirectoryEntry.objects.values_list("state", flat=True)) == ["suspended"]
    control.give()
    sync_cells()
    with operator_work():
        assert not DirectoryEntry.objects.exists()
