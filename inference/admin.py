"""The operator's view of models: which version answers, at what price, and whether any does."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.validators import RegexValidator
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from inference.registry.models import ModelVersion, PipelineStep, ServedModel
from tenants.billing.prices import display


class ServedModelForm(forms.ModelForm):  # type: ignore[type-arg]
    price_per = forms.IntegerField(min_value=1, help_text="How many units of the meter the price is for.")
    currency = forms.CharField(
        max_length=3, validators=[RegexValidator("^[A-Z]{3}$", "Three capital letters, for example EUR.")]
    )

    class Meta:
        model = ServedModel
        fields = (
            "title",
            "description",
            "state",
            "current",
            "price_meter",
            "price_micros",
            "price_per",
            "currency",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ready = Q(state=ModelVersion.State.READY) | Q(pk=self.instance.current_id)
        own = ModelVersion.objects.filter(ready, served_model=self.instance)
        current = self.fields.get("current")
        if isinstance(current, forms.ModelChoiceField):
            current.queryset = own.select_related("served_model").order_by("-number")


@admin.register(ServedModel)
class ServedModelAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Models come with their files, by `manage.py models add`, and stay: jobs of the past name them."""

    form = ServedModelForm
    list_display = ("name", "title", "state", "current", "accepts", "price_text")
    list_filter = ("state",)
    list_select_related = ("current__served_model",)
    search_fields = ("name", "title")
    fields = ("name", "accepts", "parameters", *ServedModelForm.Meta.fields, "created_at")
    readonly_fields = ("name", "accepts", "parameters", "created_at")
    actions = ("pause", "resume")

    @admin.display(description="price")
    def price_text(self, served: ServedModel) -> str:
        price = served.price
        return f"{display(price.amount_micros)} {price.currency} per {price.per} {price.meter}"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: ServedModel | None = None) -> bool:
        return False

    @admin.action(description="Pause the chosen models: new jobs are refused", permissions=["change"])
    def pause(self, request: HttpRequest, chosen: "QuerySet[ServedModel]") -> None:
        self._set_state(request, chosen, ServedModel.State.PAUSED)

    @admin.action(description="Resume the chosen models", permissions=["change"])
    def resume(self, request: HttpRequest, chosen: "QuerySet[ServedModel]") -> None:
        self._set_state(request, chosen, ServedModel.State.ACTIVE)

    def _set_state(
        self, request: HttpRequest, chosen: "QuerySet[ServedModel]", state: ServedModel.State
    ) -> None:
        changed = list(chosen.exclude(state=state))
        for served in changed:
            served.state = state
            served.save(update_fields=["state"])
            self.log_change(request, served, f"Now {state.value}.")
        self.message_user(request, f"{len(changed)} now {state.value}.", messages.SUCCESS)


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
        if self.instance.current_of.exists():
            raise forms.ValidationError(
                "Callers are answered by this version. Make another one current first."
            )
        pipelines = PipelineStep.objects.filter(
            member=self.instance, pipeline__state=ModelVersion.State.READY
        ).select_related("pipeline__served_model")
        if names := sorted(step.pipeline.key for step in pipelines):
            raise forms.ValidationError(f"{', '.join(names)} is made of this version. Retire that first.")


class StepInline(admin.TabularInline):  # type: ignore[type-arg]
    model = PipelineStep
    fk_name = "pipeline"
    extra = 0
    verbose_name_plural = "made of"

    def get_queryset(self, request: HttpRequest) -> "QuerySet[PipelineStep]":
        return super().get_queryset(request).select_related("member__served_model")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(ModelVersion)
class ModelVersionAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """The digest covers files and settings, so that nothing but the state may change."""

    form = ModelVersionForm
    list_display = ("key", "runtime", "state", "short_digest", "created_at")
    list_filter = ("state", "runtime")
    list_select_related = ("served_model",)
    search_fields = ("served_model__name", "digest")
    ordering = ("served_model__name", "-number")
    fields = (
        "served_model",
        "number",
        "runtime",
        "state",
        "digest",
        "artifacts",
        "config",
        "signature",
        "created_at",
    )
    readonly_fields = tuple(name for name in fields if name != "state")
    inlines = (StepInline,)

    @admin.display(description="digest")
    def short_digest(self, version: ModelVersion) -> str:
        return version.digest[:12]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: ModelVersion | None = None) -> bool:
        return False
