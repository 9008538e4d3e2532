"""The operator's view of models: their upload, the current version, the price, and whether the model is served."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.validators import RegexValidator
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter, RelatedDropdownFilter
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from inference.admin.batches import BatchSettingForm, BatchSettingInline
from inference.admin.owners import OwnedAdmin, OwnerFilter, once
from inference.admin.plans.example_page import price_json
from inference.admin.uploading import ModelUploadForm
from inference.registry.aliases import point, roll_back
from inference.registry.models import ModelShare, ModelVersion, ServedModel
from inference.registry.references import CURRENT, LONGEST_ALIAS, is_alias
from inference.registry.versions import suspend_model
from tenants.admin_base.columns import badge, column, two_lines
from tenants.admin_base.confirmation import at_once, confirmed
from tenants.admin_base.formatting import link_to, list_link
from tenants.admin_base.replicated import ReplicatedPages, part_of
from tenants.cells.models import ReplicatedPart
from tenants.cells.replicated import Kind
from tenants.core.db.unit_of_work import OPERATOR
from tenants.plans.wording import money

CHOSEN = "chosen in the admin"
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
    alias = forms.CharField(
        label=_("Alias to set"),
        required=False,
        max_length=LONGEST_ALIAS,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("Another name for a version, such as champion. Leave empty to set none."),
    )
    alias_number = forms.IntegerField(
        label=_("Version of the alias"),
        required=False,
        min_value=1,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text=_("Number of a version that is ready."),
    )
    alias_version: ModelVersion | None = None
    """The version that the alias is to name."""
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

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        name, number = cleaned.get("alias", ""), cleaned.get("alias_number") or 0
        if name and not is_alias(name):
            self.add_error("alias", "Use a letter, then letters, digits, - and _.")
        elif name:
            ready = ModelVersion.objects.filter(state=ModelVersion.State.READY, deleted_at=None)
            found = ready.filter(served_model=self.instance, number=number).select_related("served_model")
            self.alias_version = found.first()
            if self.alias_version is None:
                self.add_error("alias_number", "Give the number of a version that is ready.")
        return cleaned


class ReplicatedModelForm(forms.ModelForm):  # type: ignore[type-arg]
    """The form of a model of the control cell: which workers of this cell serve it."""

    class Meta:
        model = ServedModel
        fields = ("pool",)


class ShareInline(TabularInline):  # type: ignore[misc]
    """The accounts that may use a model that is not for everyone."""

    model = ModelShare
    extra = 0
    autocomplete_fields = ("account",)


@admin.register(ServedModel)
class ServedModelAdmin(ReplicatedPages, OwnedAdmin):
    """The admin of models. None is deleted, since past jobs refer to it."""

    form = ServedModelForm
    list_display = ("named", "owner", "state_badge", "current_version", "takes", "price_text", "work")
    list_filter = (
        ("state", ChoicesDropdownFilter),
        ("audience", ChoicesDropdownFilter),
        OwnerFilter,
        ("tenant", AutocompleteSelectFilter),
        ("pool", RelatedDropdownFilter),
    )
    with_rows: tuple[str, ...] = ("current__served_model", "tenant")
    search_fields = ("name", "title")
    search_help_text = _("Name or title")
    fieldsets = (
        (None, {"fields": ("name", "owner", "title", "description", "state", "current_choice", "pool")}),
        (_("Aliases"), {"fields": ("aliases", ("alias", "alias_number"))}),
        (_("Access"), {"fields": ("audience", "isolated")}),
        ("Price", {"fields": (("price_micros", "currency"), ("price_per", "price_meter"))}),
        (_("Review"), {"fields": ("review_price_micros",)}),
        ("Cache", {"fields": (("cached_price_micros", "cache_ttl_s"),)}),
        ("Input", {"fields": ("accepts", "parameters")}),
        ("Related", {"fields": ("work", "created_at")}),
    )
    readonly_fields = ("name", "owner", "aliases", "accepts", "parameters", "created_at", "work")
    replicated_fieldsets = (
        (None, {"fields": ("name", "title", "description", "state", "current_version", "aliases", "pool")}),
        (_("Access"), {"fields": ("audience", "isolated")}),
        ("Price", {"fields": ("price_text", "cache_ttl_s")}),
        ("Input", {"fields": ("accepts", "parameters")}),
        ("Related", {"fields": ("work", "created_at")}),
    )
    """The fields of a model of the control cell. Only its pool and its accounts with access are chosen in this cell."""
    inlines = (ShareInline, BatchSettingInline)
    actions = ("pause", "resume", "roll_back")

    def get_formset_kwargs(self, request: HttpRequest, obj: Any, inline: Any, prefix: str) -> dict[str, Any]:
        given: dict[str, Any] = super().get_formset_kwargs(request, obj, inline, prefix)
        return {**given, **inline.kwargs_of(obj)} if isinstance(inline, BatchSettingInline) else given

    @column(_("model"), order_by="name")
    def named(self, served: ServedModel) -> str:
        return two_lines(served.name, served.title)

    def get_form(self, request: HttpRequest, obj: ServedModel | None = None, **kwargs: Any) -> Any:
        form = ModelUploadForm if obj is None else ReplicatedModelForm if self.replicated(obj) else ServedModelForm
        return super().get_form(request, obj, **{"form": form, **kwargs})

    def get_fieldsets(self, request: HttpRequest, obj: ServedModel | None = None) -> Any:
        if obj is None:
            return ModelUploadForm.FIELDSETS
        return self.replicated_fieldsets if self.replicated(obj) else self.fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: ServedModel | None = None) -> Any:
        if obj is None:
            return ()
        if self.replicated(obj):
            shown = [name for _title, options in self.replicated_fieldsets for name in options["fields"]]
            return tuple(name for name in shown if name != "pool")
        return self.readonly_fields

    def replicated(self, row: ServedModel) -> ReplicatedPart | None:
        return None if row.tenant_id else part_of(row, Kind.MODEL, row.name)

    def get_inlines(self, request: HttpRequest, obj: ServedModel | None) -> list[Any]:
        return list(self.inlines) if obj else []

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        one_way = {"show_save_and_add_another": False, "show_save_and_continue": False}
        answer: HttpResponse = super().add_view(request, form_url, {**(extra_context or {}), **one_way})
        return answer

    def save_model(self, request: HttpRequest, obj: ServedModel, form: Any, change: bool) -> None:
        if not change:
            request.added_version = form.version  # type: ignore[attr-defined]
            obj.pk = form.version.served_model_id
            obj.refresh_from_db(using=OPERATOR)
            return
        super().save_model(request, obj, form, change)
        chosen, alias = form.cleaned_data.get("current_choice"), form.cleaned_data.get("alias")
        with transaction.atomic(using=OPERATOR):
            if chosen is not None and chosen.pk != obj.current_id:
                point(obj, CURRENT, chosen, reason=CHOSEN)
            if alias:
                point(obj, alias, form.alias_version, reason=CHOSEN)

    def response_add(
        self, request: HttpRequest, obj: ServedModel, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the version, where its checks can be followed."""
        version: ModelVersion = request.added_version  # type: ignore[attr-defined]
        self.message_user(request, f"{version.key} is uploaded. A worker checks it now.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:inference_modelversion_change", args=[version.pk]))

    @column(_("aliases"))
    @once
    def aliases(self, served: ServedModel) -> str:
        rows = served.aliases.select_related("version__served_model").order_by("name")
        parts = format_html_join(", ", "{}: {}", ((alias.name, link_to(alias.version)) for alias in rows))
        history = list_link("inference_aliasmove", "history", served_model__id__exact=served.pk)
        return format_html("{} · {}", parts, history) if parts else history

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
        if add:
            return f"Added {form.version.key}, {form.version.license}."
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

    def has_delete_permission(self, request: HttpRequest, obj: ServedModel | None = None) -> bool:
        return False

    def row_actions(self, row: ServedModel) -> list[str]:
        first = "pause" if row.state == ServedModel.State.ACTIVE else "resume"
        return [first, "roll_back"] if row.current_id else [first]

    @admin.action(description=_("Pause"), permissions=["change"])
    @confirmed(
        _("Pause these models?"),
        _("New jobs are rejected until you resume the model. Accepted jobs are finished."),
        _("Pause"),
    )
    def pause(self, request: HttpRequest, chosen: "QuerySet[ServedModel]") -> None:
        self._suspend(request, chosen.filter(state=ServedModel.State.ACTIVE), suspended=True)

    @admin.action(description=_("Resume"), permissions=["change"])
    @at_once
    def resume(self, request: HttpRequest, chosen: "QuerySet[ServedModel]") -> None:
        self._suspend(request, chosen.exclude(state=ServedModel.State.ACTIVE), suspended=False)

    def _suspend(self, request: HttpRequest, chosen: "QuerySet[ServedModel]", *, suspended: bool) -> None:
        done = "Now paused" if suspended else "Now active"
        self.act_on_each(request, chosen, lambda served: suspend_model(served, suspended), done)

    @admin.action(description=_("Roll back"), permissions=["change"])
    @confirmed(
        _("Roll these models back?"),
        _("The alias current of each moves back to the version before, within a second. Accepted work keeps its own."),
        _("Roll back"),
    )
    def roll_back(self, request: HttpRequest, chosen: "QuerySet[ServedModel]") -> None:
        self.act_on_each(
            request, chosen, lambda served: roll_back(owner=served.tenant_id, model=served.name), "Rolled back"
        )


def _batches_told(formsets: Iterable[Any]) -> list[str]:
    forms_ = [form for formset in formsets for form in formset.forms]
    return [form.changes_text for form in forms_ if isinstance(form, BatchSettingForm) and form.has_changed()]
