"""The operator's view of models: the current version, the price, and whether the model is served."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.validators import RegexValidator
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RelatedDropdownFilter
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from inference.admin.batches import BatchSettingForm, BatchSettingInline
from inference.admin.plans.example_page import price_json
from inference.registry.aliases import point
from inference.registry.models import ModelPool, ModelShare, ModelVersion, PipelineStep, ServedModel
from inference.registry.references import CURRENT
from tenants.admin_base.columns import badge, column, two_lines
from tenants.admin_base.confirmation import at_once, confirmed
from tenants.admin_base.formatting import NOTHING, ago, link_to, list_link, size
from tenants.admin_base.records import OperatorAdmin
from tenants.core.db.unit_of_work import OPERATOR
from tenants.plans.wording import money

PRICED = ("price_meter", "price_micros", "price_per", "currency", "cached_price_micros", "review_price_micros")


def price_words(served: ServedModel) -> str:
    price, cached = served.price, served.cached_price
    text = price_json(price)
    if cached != price:
        text += f", {money(cached.amount_micros, cached.currency)} per cache hit"
    review = served.review_price
    return text if review is None else f"{text}, {money(review.amount_micros, review.currency)} per page to check"


class ServedModelForm(forms.ModelForm):  # type: ignore[type-arg]
    current_choice = forms.ModelChoiceField(
        ModelVersion.objects.none(),
        label=_("Current version"),
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text=_("Version of the alias 'current'. Work already accepted keeps its version."),
    )
    price_per = forms.IntegerField(
        label=_("Per"),
        min_value=1,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text=_("Number of units that the price covers. GPU seconds are in milliseconds: 1000 means per second."),
    )
    currency = forms.CharField(
        max_length=3,
        widget=UnfoldAdminTextInputWidget,
        validators=[RegexValidator("^[A-Z]{3}$", "Enter three capital letters, such as EUR.")],
    )

    class Meta:
        model = ServedModel
        fields = (
            "title",
            "description",
            "state",
            "audience",
            "isolated",
            "pool",
            "price_meter",
            "price_micros",
            "price_per",
            "currency",
            "cached_price_micros",
            "cache_ttl_s",
            "review_price_micros",
        )
        labels = {
            "price_micros": _("Price in millionths"),
            "price_meter": _("Unit"),
            "cached_price_micros": _("Price of a cache hit in millionths"),
            "review_price_micros": _("Price of a page to check in millionths"),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ready = Q(state=ModelVersion.State.READY, deleted_at=None) | Q(pk=self.instance.current_id)
        own = ModelVersion.objects.filter(ready, served_model=self.instance)
        current = self.fields.get("current_choice")
        if isinstance(current, forms.ModelChoiceField):
            current.queryset = own.select_related("served_model").order_by("-number")
            self.initial.setdefault("current_choice", self.instance.current_id)


class ShareInline(TabularInline):  # type: ignore[misc]
    """The accounts that may use a model that is not for everyone."""

    model = ModelShare
    extra = 0
    autocomplete_fields = ("account",)


@admin.register(ServedModel)
class ServedModelAdmin(OperatorAdmin):
    """The admin of models. `manage.py models add` adds them. None is deleted, since past jobs refer to it."""

    form = ServedModelForm
    list_display = ("named", "owner", "state_badge", "current_version", "takes", "price_text", "work")
    list_filter = (
        ("state", ChoicesDropdownFilter),
        ("audience", ChoicesDropdownFilter),
        ("pool", RelatedDropdownFilter),
    )
    list_select_related = ("current__served_model", "tenant")
    search_fields = ("name", "title")
    search_help_text = _("Name or title")
    fieldsets = (
        (None, {"fields": ("name", "owner", "title", "description", "state", "current_choice", "pool")}),
        (_("Access"), {"fields": ("audience", "isolated")}),
        ("Price", {"fields": (("price_micros", "currency"), ("price_per", "price_meter"))}),
        (_("Review"), {"fields": ("review_price_micros",)}),
        ("Cache", {"fields": (("cached_price_micros", "cache_ttl_s"),)}),
        ("Input", {"fields": ("accepts", "parameters")}),
        ("Related", {"fields": ("work", "created_at")}),
    )
    readonly_fields = ("name", "owner", "accepts", "parameters", "created_at", "work")
    inlines = (ShareInline, BatchSettingInline)
    actions = ("pause", "resume")

    def get_formset_kwargs(self, request: HttpRequest, obj: Any, inline: Any, prefix: str) -> dict[str, Any]:
        given: dict[str, Any] = super().get_formset_kwargs(request, obj, inline, prefix)
        return {**given, **inline.kwargs_of(obj)} if isinstance(inline, BatchSettingInline) else given

    @column(_("model"), order_by="name")
    def named(self, served: ServedModel) -> str:
        return two_lines(served.name, served.title)

    def save_model(self, request: HttpRequest, obj: ServedModel, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        chosen = form.cleaned_data.get("current_choice")
        if chosen is not None and chosen.pk != obj.current_id:
            with transaction.atomic(using=OPERATOR):
                point(obj, CURRENT, chosen, reason="chosen in the admin")

    @column(_("owner"))
    def owner(self, served: ServedModel) -> str:
        return link_to(served.tenant) if served.tenant_id else "installation"

    @column(_("state"), order_by="state")
    def state_badge(self, served: ServedModel) -> str:
        return badge(served.state)

    @column(_("current version"))
    def current_version(self, served: ServedModel) -> str:
        return link_to(served.current)

    @column(_("accepts"))
    def takes(self, served: ServedModel) -> str:
        return ", ".join(served.accepts)

    @column(_("price"))
    def price_text(self, served: ServedModel) -> str:
        return price_words(served)

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        """Record the old and the new figures, because an audit of prices and batch limits needs them."""
        changes = [self._price_json(form), *_batches_told(formsets)]
        sentences = [sentence for sentence in changes if sentence]
        if not sentences:
            return super().construct_change_message(request, form, formsets, add)
        rest = [name for name in form.changed_data if name not in PRICED]
        return " ".join([*sentences, *([f"Changed {', '.join(rest)}."] if rest else [])])

    def _price_json(self, form: Any) -> str:
        if not set(PRICED) & set(form.changed_data):
            return ""
        before = ServedModel(**{name: form.initial[name] for name in PRICED})
        return f"Price changed from {price_words(before)} to {price_words(form.instance)}."

    @column(_("links"))
    def work(self, served: ServedModel) -> str:
        versions = list_link("inference_modelversion", "versions", served_model__id__exact=served.pk)
        if served.current_id is None:
            return versions
        jobs = list_link("jobs_job", "jobs", model_version__id__exact=served.current_id)
        return format_html_join(" · ", "{}", ((versions,), (jobs,)))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: ServedModel | None = None) -> bool:
        return False

    def row_actions(self, row: ServedModel) -> list[str]:
        return ["pause"] if row.state == ServedModel.State.ACTIVE else ["resume"]

    @admin.action(description=_("Pause"), permissions=["change"])
    @confirmed(
        _("Pause these models?"),
        _("New jobs are rejected until you resume the model. Accepted jobs are finished."),
        _("Pause"),
    )
    def pause(self, request: HttpRequest, chosen: "QuerySet[ServedModel]") -> None:
        self._set_state(request, chosen, ServedModel.State.PAUSED)

    @admin.action(description=_("Resume"), permissions=["change"])
    @at_once
    def resume(self, request: HttpRequest, chosen: "QuerySet[ServedModel]") -> None:
        self._set_state(request, chosen, ServedModel.State.ACTIVE)

    def _set_state(self, request: HttpRequest, chosen: "QuerySet[ServedModel]", state: ServedModel.State) -> None:
        changed = list(chosen.exclude(state=state))
        for served in changed:
            served.state = state
            served.save(update_fields=["state"])
            self.log_change(request, served, f"Now {state.value}.")
        self.message_user(request, f"{len(changed)} now {state.value}.", messages.SUCCESS)


def _batches_told(formsets: Iterable[Any]) -> list[str]:
    forms_ = [form for formset in formsets for form in formset.forms]
    return [form.changes_text for form in forms_ if isinstance(form, BatchSettingForm) and form.has_changed()]


@admin.register(ModelPool)
class ModelPoolAdmin(OperatorAdmin):
    """The admin of pools. Workers read a change at their next look, within a second."""

    list_display = ("name", "strategy", "served_models")
    list_filter = (("strategy", ChoicesDropdownFilter),)
    search_fields = ("name",)
    search_help_text = _("Name")
    fields = ("name", "strategy")

    @column(_("models"))
    def served_models(self, pool: ModelPool) -> str:
        return list_link("inference_servedmodel", "models", pool__id__exact=pool.pk)


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
class ModelVersionAdmin(OperatorAdmin):
    """The admin of versions. The digest covers files and settings, so only the state may change."""

    form = ModelVersionForm
    list_display = ("key", "state_badge", "runtime", "weighs", "work", "short_digest", "added")
    list_filter = (
        ("served_model", RelatedDropdownFilter),
        ("state", ChoicesDropdownFilter),
        ("runtime", admin.AllValuesFieldListFilter),
    )
    list_select_related = ("served_model",)
    search_fields = ("served_model__name", "digest")
    search_help_text = _("Model or digest")
    ordering = ("served_model__name", "-number")
    fieldsets = (
        (None, {"fields": ("model_link", "number", "runtime", "state", "work", "used_by")}),
        ("Files and settings", {"fields": ("digest", "artifacts", "config", "signature", "created_at")}),
    )
    readonly_fields = (
        "model_link",
        "number",
        "runtime",
        "work",
        "used_by",
        "digest",
        "artifacts",
        "config",
        "signature",
        "created_at",
    )
    inlines = (StepInline,)

    @column(_("state"), order_by="state")
    def state_badge(self, version: ModelVersion) -> str:
        return badge(version.state)

    @column(_("model"))
    def model_link(self, version: ModelVersion) -> str:
        return link_to(version.served_model)

    @column(_("files"))
    def weighs(self, version: ModelVersion) -> str:
        total_bytes = sum(int(artifact.get("bytes", 0)) for artifact in version.artifacts.values())
        return size(total_bytes) if total_bytes else NOTHING

    @column(_("links"))
    def work(self, version: ModelVersion) -> str:
        filters = {"model_version__id__exact": version.pk}
        links = ((list_link("jobs_job", "jobs", **filters),), (list_link("jobs_page", "pages", **filters),))
        return format_html_join(" · ", "{}", links)

    @column(_("used by pipelines"))
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
