"""The operator's view of the work on models: tasks, variants with their reports, and the moves of aliases."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter

from inference.admin.owners import OwnedAdmin, OwnerFilter
from inference.registry.models import AliasMove, ModelTask, ModelVariant
from inference.registry.tasks.services import cancel_task
from inference.registry.variant_reports import Figures, VariantView, report_of
from inference.registry.variants import refuse_variant, use_variant
from tenants.admin_base.columns import badge, column, two_lines
from tenants.admin_base.confirmation import confirmed
from tenants.admin_base.filters import CreatedFilter, MomentsFilter
from tenants.admin_base.formatting import NOTHING, ago, between, link_to, short
from tenants.admin_base.records import RecordAdmin


class _WorkOnModels(OwnedAdmin, RecordAdmin):
    search_help_text = _("Model, tenant or whole ID")
    with_rows: tuple[str, ...] = ("tenant", "version__served_model")
    ordering = ("-id",)

    def begins_with(self, term: str) -> Iterator[Q]:
        yield Q(version__served_model__name=term)
        yield from super().begins_with(term)

    @column(_("state"), order_by="state")
    def state_badge(self, row: "ModelTask | ModelVariant") -> str:
        return badge(row.state)

    @column(_("version"))
    def version_link(self, row: "ModelTask | ModelVariant") -> str:
        return link_to(row.version)

    @column(_("created"), order_by="id")
    def created(self, row: "ModelTask | ModelVariant") -> str:
        return ago(row.created_at)

    def has_act_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm(f"inference.change_{self.opts.model_name}"))


@admin.register(ModelTask)
class ModelTaskAdmin(_WorkOnModels):
    """The admin of tasks. A task is ordered where its model is, and canceled here or there."""

    list_display = ("named", "state_badge", "version_link", "owner", "progress_text", "error", "ran", "created")
    list_filter = (
        ("kind", ChoicesDropdownFilter),
        ("state", ChoicesDropdownFilter),
        OwnerFilter,
        ("tenant", AutocompleteSelectFilter),
        ("created_at", CreatedFilter),
    )
    fields = (
        "kind",
        "state_badge",
        "version_link",
        "variant_link",
        "owner",
        "progress_text",
        "error",
        "result",
        "params",
        "author",
        "worker",
        "attempt",
        "created_at",
        "started_at",
        "ended_at",
        "id",
    )
    actions = ("cancel",)

    def in_words(self, row: ModelTask) -> str:
        return f"{row.get_kind_display().lower()} {row.version}"

    def row_actions(self, row: ModelTask) -> list[str]:
        return [] if row.ended else ["cancel"]

    @column(_("task"), order_by="id")
    def named(self, task: ModelTask) -> str:
        return two_lines(task.get_kind_display(), short(task.pk))

    @column(_("variant"))
    def variant_link(self, task: ModelTask) -> str:
        return link_to(task.variant)

    @column(_("progress"))
    def progress_text(self, task: ModelTask) -> str:
        parts = f"{task.done} of {task.total}" if task.total else ""
        return ", ".join(text for text in (parts, task.stage) if text) or NOTHING

    @column(_("error"))
    def error(self, task: ModelTask) -> str:
        return f"{task.error_code}: {task.error_detail}" if task.error_code else NOTHING

    @column(_("duration"))
    def ran(self, task: ModelTask) -> str:
        return between(task.started_at, task.ended_at)

    @admin.action(description=_("Cancel"), permissions=["act"])
    @confirmed(
        _("Cancel these tasks?"),
        _("A version that is being checked is refused. You cannot resume a canceled task; its owner orders it again."),
        _("Cancel tasks"),
    )
    def cancel(self, request: HttpRequest, tasks: "QuerySet[ModelTask]") -> None:
        self.act_on_each(
            request,
            tasks,
            lambda task: cancel_task(owner=task.tenant_id, model=task.version.served_model.name, task_id=task.pk),
            "Canceled",
        )


@admin.register(ModelVariant)
class ModelVariantAdmin(_WorkOnModels):
    """The admin of variants. The gate admits or refuses them; people choose among those that it admitted."""

    list_display = ("named", "state_badge", "version_link", "owner", "speed", "error", "created")
    list_filter = (
        ("state", ChoicesDropdownFilter),
        OwnerFilter,
        ("tenant", AutocompleteSelectFilter),
        ("created_at", CreatedFilter),
    )
    with_rows: tuple[str, ...] = ("tenant", "version__served_model", "used_as__served_model")
    fields = (
        "named",
        "state_badge",
        "version_link",
        "owner",
        "used_as_link",
        "reasons",
        "figures",
        "source_figures",
        "measures",
        "conditions",
        "lineage",
        "artifact",
        "author",
        "created_at",
        "id",
    )
    actions = ("use", "refuse")

    def in_words(self, row: ModelVariant) -> str:
        return f"{row.transformation or row.precision} of {row.version}"

    def row_actions(self, row: ModelVariant) -> list[str]:
        return ["use", "refuse"] if row.state == ModelVariant.State.ADMITTED else []

    @column(_("variant"), order_by="id")
    def named(self, variant: ModelVariant) -> str:
        return two_lines(variant.transformation or "uploaded", variant.precision)

    @column(_("speed"))
    def speed(self, variant: ModelVariant) -> str:
        figures = _view(variant).figures
        return figures.speedup if figures else NOTHING

    @column(_("error, of its bound"))
    def error(self, variant: ModelVariant) -> str:
        return _view(variant).error or NOTHING

    @column(_("used as"))
    def used_as_link(self, variant: ModelVariant) -> str:
        return link_to(variant.used_as)

    @column(_("reasons"))
    def reasons(self, variant: ModelVariant) -> str:
        return format_html_join("", "<p>{}</p>", ((reason,) for reason in _view(variant).reasons)) or NOTHING

    @column(_("figures"))
    def figures(self, variant: ModelVariant) -> str:
        return _figures(_view(variant).figures)

    @column(_("figures of the version"))
    def source_figures(self, variant: ModelVariant) -> str:
        return _figures(report_of([variant]).source)

    @column(_("measures and bounds"))
    def measures(self, variant: ModelVariant) -> str:
        rows = ((one.name, one.value, one.bound or "no bound") for one in _view(variant).measures)
        return format_html_join("", "<p>{}: {} ({})</p>", rows) or NOTHING

    @column(_("compared on"))
    def conditions(self, variant: ModelVariant) -> str:
        return _view(variant).conditions or NOTHING

    @admin.action(description=_("Use"), permissions=["act"])
    @confirmed(
        _("Use these variants?"),
        _("Each becomes a version of its model, and the alias current moves to it. A move can be rolled back."),
        _("Use"),
    )
    def use(self, request: HttpRequest, variants: "QuerySet[ModelVariant]") -> None:
        self.act_on_each(request, variants, lambda variant: use_variant(**_reference(variant)), "Used")

    @admin.action(description=_("Refuse"), permissions=["act"])
    @confirmed(_("Refuse these variants?"), _("They can no longer be used. Versions made of them stay."), _("Refuse"))
    def refuse(self, request: HttpRequest, variants: "QuerySet[ModelVariant]") -> None:
        self.act_on_each(request, variants, lambda variant: refuse_variant(**_reference(variant)), "Refused")


def _reference(variant: ModelVariant) -> dict[str, Any]:
    """Return the arguments by which the services of variants find it."""
    version = variant.version
    return {
        "owner": variant.tenant_id,
        "model": version.served_model.name,
        "number": version.number,
        "variant_id": variant.pk,
    }


def _view(variant: ModelVariant) -> VariantView:
    return report_of([variant]).variants[0]


def _figures(figures: Figures | None) -> SafeString | str:
    if figures is None:
        return NOTHING
    return format_html(
        "<p>{} as fast for one caller</p><p>alone, p50 / p99: {}</p><p>in company: {}</p><p>{} rows/s</p>"
        "<p>memory {}, file {}, load {}</p>",
        figures.speedup,
        figures.alone,
        figures.company,
        figures.rows_per_s,
        figures.memory,
        figures.size,
        figures.load,
    )


@admin.register(AliasMove)
class AliasMoveAdmin(_WorkOnModels):
    """The history of aliases, which nobody changes. The newest move up to a moment says what answered then."""

    id_fields = ("tenant_id",)
    search_help_text = _("Model or tenant")
    list_display = ("named", "version_link", "from_version", "owner", "author", "reason", "moved")
    list_filter = (
        ("moved_at", MomentsFilter),
        OwnerFilter,
        ("tenant", AutocompleteSelectFilter),
    )
    with_rows: tuple[str, ...] = ("tenant", "served_model", "version__served_model", "previous__served_model")
    fields = ("named", "version_link", "from_version", "owner", "author", "reason", "moved_at")

    def begins_with(self, term: str) -> Iterator[Q]:
        name, _at, alias = term.partition("@")
        yield Q(served_model__name=name, alias=alias) if alias else Q(served_model__name=name)
        yield from RecordAdmin.begins_with(self, term)

    @column(_("alias"), order_by="id")
    def named(self, move: AliasMove) -> str:
        return f"{move.served_model.name}@{move.alias}"

    @column(_("from"))
    def from_version(self, move: AliasMove) -> str:
        return link_to(move.previous)

    @column(_("moved"), order_by="id")
    def moved(self, move: AliasMove) -> str:
        return ago(move.moved_at)
