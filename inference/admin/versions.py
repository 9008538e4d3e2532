"""The operator's view of versions: their files, their checks and reports, and what uses them."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RelatedDropdownFilter

from inference.admin.owners import OwnedAdmin, OwnerFilter, once
from inference.registry.aliases import move_alias
from inference.registry.models import ModelVersion, PipelineStep
from inference.registry.orders import order_optimization
from inference.registry.references import CURRENT
from inference.registry.uploads import ModelDescription
from inference.registry.versions import describe_version
from tenants.admin_base.columns import badge, column
from tenants.admin_base.confirmation import at_once, confirmed
from tenants.admin_base.formatting import NOTHING, ago, link_to, list_link, size
from tenants.admin_base.replicated import ReadOnlyIfReplicated, part_of
from tenants.cells.models import ReplicatedPart
from tenants.cells.replicated import Kind


class ModelVersionForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = ModelVersion
        fields = ("state",)

    def clean_state(self) -> str:
        state = str(self.cleaned_data["state"])
        if state == ModelVersion.State.RETIRED:
            self._refuse_while_needed()
        return state

    def _refuse_while_needed(self) -> None:
        if names := list(self.instance.aliases.values_list("name", flat=True)):
            raise forms.ValidationError(f"Aliases stand for this version: {', '.join(names)}. Move them first.")
        pipelines = PipelineStep.objects.filter(
            member=self.instance, pipeline__state=ModelVersion.State.READY
        ).select_related("pipeline__served_model")
        if names := sorted(step.pipeline.key for step in pipelines):
            raise forms.ValidationError(f"Pipelines use this version: {', '.join(names)}. Retire them first.")


class StepInline(TabularInline):  # type: ignore[misc]
    model = PipelineStep
    fk_name = "pipeline"
    extra = 0
    fields = readonly_fields = ("role", "member_link")
    hide_title = True
    verbose_name_plural = _("pipeline steps")

    @column(_("version"))
    def member_link(self, step: PipelineStep) -> str:
        return link_to(step.member)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[PipelineStep]":
        found: QuerySet[PipelineStep] = super().get_queryset(request)
        return found.select_related("member__served_model")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(ModelVersion)
class ModelVersionAdmin(ReadOnlyIfReplicated, OwnedAdmin):
    """The admin of versions. The digest covers files and settings, so only the state may change."""

    form = ModelVersionForm
    list_display = ("key", "state_badge", "owner", "license", "weighs", "work", "short_digest", "added")
    list_filter = (
        ("served_model", RelatedDropdownFilter),
        ("state", ChoicesDropdownFilter),
        OwnerFilter,
        ("runtime", admin.AllValuesFieldListFilter),
    )
    with_rows: tuple[str, ...] = ("served_model", "tenant", "source__served_model")
    search_fields = ("served_model__name", "digest")
    search_help_text = _("Model or digest")
    ordering = ("served_model__name", "-number")
    fieldsets = (
        (None, {"fields": ("model_link", "number", "owner", "runtime", "state")}),
        (_("Checks and use"), {"fields": ("progress", "checks", "evaluation", "aliases", "paused")}),
        (_("Related"), {"fields": ("work", "used_by", "made_from")}),
        (_("About"), {"fields": ("license", "description", "labels", "card", "author", "created_at")}),
        (_("Files and settings"), {"fields": ("digest", "artifacts", "config", "signature", "lineage")}),
    )
    readonly_fields = (
        "model_link",
        "number",
        "owner",
        "runtime",
        "progress",
        "checks",
        "aliases",
        "paused",
        "work",
        "used_by",
        "made_from",
        "license",
        "description",
        "labels",
        "card",
        "author",
        "created_at",
        "digest",
        "artifacts",
        "config",
        "signature",
        "lineage",
        "evaluation",
    )
    actions = ("publish", "optimize", "resume")
    inlines = (StepInline,)

    def replicated(self, row: ModelVersion) -> ReplicatedPart | None:
        return None if row.tenant_id else part_of(row, Kind.MODEL, row.served_model.name)

    @column(_("state"), order_by="state")
    def state_badge(self, version: ModelVersion) -> str:
        return badge(version.state)

    @column(_("model"))
    def model_link(self, version: ModelVersion) -> str:
        return link_to(version.served_model)

    @column(_("progress"))
    @once
    def progress(self, version: ModelVersion) -> str:
        """Write the newest task and how far it is. Reload the page to see more of it."""
        task = version.tasks.order_by("-id").first()
        if task is None:
            return NOTHING
        stage = "" if task.ended else task.stage or "waiting for a worker"
        return format_html("{} {} {}", link_to(task, task.get_kind_display()), badge(task.state), stage)

    @column(_("checks"))
    def checks(self, version: ModelVersion) -> str:
        refused = version.report.get("refused")
        if refused:
            return _refusal(refused)
        done = ", ".join(version.report.get("checks", ()))
        trial = version.report.get("trial")
        figures = f"; loaded in {trial['load_s']} s, memory {size(trial['peak_memory_bytes'])}" if trial else ""
        note = f". {trial['note']}" if trial and "note" in trial else ""
        return f"{done}{figures}{note}" or NOTHING

    @column(_("aliases"))
    @once
    def aliases(self, version: ModelVersion) -> str:
        return ", ".join(version.aliases.order_by("name").values_list("name", flat=True)) or NOTHING

    @column(_("paused"))
    def paused(self, version: ModelVersion) -> str:
        return version.paused_reason or NOTHING

    @column(_("made from"))
    def made_from(self, version: ModelVersion) -> str:
        return link_to(version.source)

    @column(_("files"))
    def weighs(self, version: ModelVersion) -> str:
        total_bytes = sum(int(artifact.get("bytes", 0)) for artifact in version.artifacts.values())
        return size(total_bytes) if total_bytes else NOTHING

    @column(_("links"))
    def work(self, version: ModelVersion) -> str:
        filters = {"model_version__id__exact": version.pk}
        of_version = {"version__id__exact": version.pk}
        links = (
            list_link("jobs_job", "jobs", **filters),
            list_link("jobs_page", "pages", **filters),
            list_link("inference_modelvariant", "variants", **of_version),
            list_link("inference_modeltask", "tasks", **of_version),
        )
        return format_html_join(" · ", "{}", ((link,) for link in links))

    @column(_("used by pipelines"))
    @once
    def used_by(self, version: ModelVersion) -> str:
        steps = version.used_by.select_related("pipeline__served_model").order_by("id")[:20]
        return format_html_join(", ", "{}", ((link_to(step.pipeline),) for step in steps)) or NOTHING

    @column(_("digest"))
    def short_digest(self, version: ModelVersion) -> str:
        return version.digest[:12]

    @column(_("added"), order_by="created_at")
    def added(self, version: ModelVersion) -> str:
        return ago(version.created_at)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: ModelVersion | None = None) -> bool:
        return False

    def row_actions(self, row: ModelVersion) -> list[str]:
        if row.state != ModelVersion.State.READY:
            return []
        offered = ["publish", "optimize"] if "weights" in row.artifacts else ["publish"]
        return ["resume", *offered] if row.may_resume else offered

    @admin.action(description=_("Make current"), permissions=["change"])
    @confirmed(
        _("Let these versions answer for their models?"),
        _("The alias current moves to each within a second. Accepted work keeps its version. It can be rolled back."),
        _("Make current"),
    )
    def publish(self, request: HttpRequest, versions: "QuerySet[ModelVersion]") -> None:
        self.act_on_each(
            request,
            versions,
            lambda version: move_alias(
                owner=version.tenant_id, model=version.served_model.name, alias=CURRENT, number=version.number
            ),
            "Made current",
        )

    @admin.action(description=_("Optimize"), permissions=["change"])
    @confirmed(
        _("Make faster variants of these versions?"),
        _("Each is compared with its version. None is used before somebody chooses it. This takes some minutes."),
        _("Optimize"),
    )
    def optimize(self, request: HttpRequest, versions: "QuerySet[ModelVersion]") -> None:
        self.act_on_each(
            request,
            versions,
            lambda version: order_optimization(
                owner=version.tenant_id, model=version.served_model.name, number=version.number
            ),
            "Optimization ordered",
        )

    @admin.action(description=_("Resume"), permissions=["change"])
    @at_once
    def resume(self, request: HttpRequest, versions: "QuerySet[ModelVersion]") -> None:
        self.act_on_each(
            request,
            versions,
            lambda version: describe_version(
                owner=version.tenant_id,
                model=version.served_model.name,
                number=version.number,
                description=ModelDescription(),
                resume=True,
            ),
            "Resumed",
        )


def _refusal(refused: Mapping[str, Any]) -> SafeString:
    node = f" ({refused['node']})" if refused.get("node") else ""
    return format_html(
        "<p><strong>{}</strong> {}{}</p><p>{}</p>",
        refused.get("code", ""),
        refused.get("detail", ""),
        node,
        refused.get("what_to_do", ""),
    )
