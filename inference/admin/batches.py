"""The batch limits of a model, which can be edited on the model's page while workers serve it."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from inference.batching.limits import BatchLimits, LimitChanges, Sharing
from inference.registry.batch_limits import own_limits
from inference.registry.models import BatchSetting, ServedModel

LIMITS = ("max_rows", "max_padded", "max_waiting", "max_wait_ms", "sharing")
SHARING = (
    ("", "only if results are identical"),
    (Sharing.TRIED, "also if results were identical in trials"),
    (Sharing.NEVER, "never"),
)


class BatchSettingForm(forms.ModelForm):  # type: ignore[type-arg]
    """The form of batch limits. The limits check the fields themselves, and their messages say what is allowed."""

    part = forms.CharField(max_length=40, label=_("File"), widget=UnfoldAdminTextInputWidget(attrs={"readonly": True}))
    max_rows = forms.IntegerField(required=False, widget=UnfoldAdminIntegerFieldWidget, label=_("Max. batch size"))
    max_padded = forms.IntegerField(required=False, widget=UnfoldAdminIntegerFieldWidget, label=_("Max. rows × length"))
    max_waiting = forms.IntegerField(required=False, widget=UnfoldAdminIntegerFieldWidget, label=_("Max. waiting rows"))
    max_wait_ms = forms.FloatField(required=False, widget=UnfoldAdminTextInputWidget, label=_("Max. batch delay, ms"))
    sharing = forms.ChoiceField(
        required=False,
        choices=SHARING,
        widget=UnfoldAdminSelectWidget,
        label=_("Share batches between tenants"),
    )

    class Meta:
        model = BatchSetting
        fields = ("part", *LIMITS)

    def __init__(self, *args: Any, own: Mapping[str, BatchLimits], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._parts = own
        self._own = own.get(self.initial.get("part", ""), BatchLimits())
        for name in LIMITS:
            self.fields[name].widget.attrs["placeholder"] = limit_words(getattr(self._own, name))

    def clean_part(self) -> str:
        """Check that the submitted part is still the row's own, so that limits for one file never apply to another."""
        part = str(self.cleaned_data["part"])
        if part not in self._parts or (self.instance.pk and part != self.instance.part):
            raise forms.ValidationError(f"{part} is not a file of this model. Reload the page.")
        return part

    def clean(self) -> dict[str, Any]:
        given = {name: self.cleaned_data.get(name) for name in LIMITS}
        if not self.errors:
            try:
                LimitChanges(**{**given, "sharing": given["sharing"] or None}).over(self._own)
            except ValueError as error:
                message = str(error)
                self.add_error(message.partition(" ")[0], message)
        return self.cleaned_data

    @property
    def changes_text(self) -> str:
        """Return the changes with the figures, for the audit log."""
        changes = (
            f"{name} from {self._words(name, self.initial.get(name))}"
            f" to {self._words(name, self.cleaned_data.get(name))}"
            for name in self.changed_data
            if name in LIMITS
        )
        return f"Batches of {self.cleaned_data['part']}: {', '.join(changes)}."

    def _words(self, name: str, given: float | str | None) -> str:
        own = given is None or given == ""
        return f"default {limit_words(getattr(self._own, name))}" if own else limit_words(given)


class BatchSettingInline(TabularInline):  # type: ignore[misc]
    """The rows of batch limits: one for each file of the model that runs in batches, changed or not."""

    model = BatchSetting
    form = BatchSettingForm
    can_delete = False
    hide_title = True
    verbose_name_plural = _("batch limits (empty: default of the model; applied within 2 seconds)")

    def kwargs_of(self, served: ServedModel) -> dict[str, Any]:
        """Return the rows for files without a setting, and the model's own limits."""
        own = own_limits(served)
        there = set(served.batch_settings.values_list("part", flat=True))
        missing = [{"part": part} for part in own if part not in there]
        return {"initial": missing, "form_kwargs": {"own": own}}

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        rows = len(own_limits(obj)) if obj else 0
        return super().get_formset(request, obj, extra=rows, max_num=rows, **kwargs)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[BatchSetting]":
        found: QuerySet[BatchSetting] = super().get_queryset(request)
        return found.order_by("part")


def limit_words(given: float | str | None) -> str:
    if given is None:
        return "none"
    return f"{given:g}" if isinstance(given, float) else str(given)
