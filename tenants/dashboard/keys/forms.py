"""Forms with which a person creates, restricts or replaces a key."""

import re
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tenants.api_keys.restrictions import InvalidRestriction, checked_models, checked_networks
from tenants.api_keys.services import RESTRICTIONS
from tenants.core.times import day_text
from tenants.dashboard.keys.scope_texts import CUSTOM, MEANINGS, presets_within

LONGEST = timedelta(days=5 * 366)
LIFETIMES = (
    ("never", "Never"),
    ("30", "In 30 days"),
    ("90", "In 90 days"),
    ("365", "In a year"),
    ("date", "On a date"),
)
OVERLAPS = (
    ("0", "Stops immediately"),
    ("3600", "Works for another hour"),
    ("86400", "Works for another 24 hours"),
    ("604800", "Works for another 7 days"),
)

_BETWEEN = re.compile(r"[\s,;]+")
_LONGEST_AREA = 6_000


def _area(label: str, help_text: str, placeholder: str) -> forms.CharField:
    look = {"rows": 2, "placeholder": placeholder, "spellcheck": "false", "autocomplete": "off"}
    return forms.CharField(
        label=label,
        required=False,
        max_length=_LONGEST_AREA,
        help_text=help_text,
        widget=forms.Textarea(attrs=look),
    )


class RestrictionForm(forms.Form):
    """The form for restrictions: names or networks, one in each text line or separated by commas."""

    allowed_models = _area("Only these models", "Empty: any model.", "parse, embed")
    allowed_networks = _area(
        "Only from these IPs",
        "IPv4 or IPv6 addresses and networks. Empty: any IP.",
        "203.0.113.0/24, 2001:db8::/32",
    )

    def clean_allowed_models(self) -> list[str]:
        return self._checked("allowed_models", checked_models)

    def clean_allowed_networks(self) -> list[str]:
        return self._checked("allowed_networks", checked_networks)

    def _checked(self, name: str, check: Callable[[Iterable[str]], list[str]]) -> list[str]:
        try:
            return check(_BETWEEN.split(str(self.cleaned_data[name])))
        except InvalidRestriction as refusal:
            raise forms.ValidationError(str(refusal)) from refusal

    @property
    def restrictions(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in RESTRICTIONS}


class KeyForm(RestrictionForm):
    name = forms.CharField(
        max_length=100,
        help_text=_("For example “Invoice import”. Only members of this account see it."),
        error_messages={"required": _("Enter a name, so that you know what uses the key.")},
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "off"}),
    )
    mode = forms.ChoiceField(choices=[("live", "Live"), ("test", "Test")], initial="live")
    preset = forms.ChoiceField()
    scopes = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    lifetime = forms.ChoiceField(label=_("Expires"), choices=LIFETIMES, initial="never")
    last_day = forms.DateField(
        label=_("Last day"),
        required=False,
        help_text=_("The key works until the end of this day (UTC)."),
        widget=forms.DateInput(attrs={"type": "date"}),
        error_messages={"invalid": _("Enter the date as YYYY-MM-DD, for example 2027-01-31.")},
    )

    def __init__(self, *args: Any, may: Collection[str], **kwargs: Any) -> None:
        """Offer the scopes in `may`, which are those of the creator. Nobody can give a scope that they do not have."""
        super().__init__(*args, **kwargs)
        self.presets = presets_within(may)
        preset, scopes = self.fields["preset"], self.fields["scopes"]
        assert isinstance(preset, forms.ChoiceField)
        assert isinstance(scopes, forms.MultipleChoiceField)
        named = [(preset.name, preset.title) for preset in self.presets]
        preset.choices = [*named, (CUSTOM, "Custom")]
        preset.initial = preset.choices[0][0]
        scopes.choices = [(scope, meaning.long) for scope, meaning in MEANINGS.items() if scope in may]

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if fields.get("preset") == CUSTOM and not fields.get("scopes"):
            self.add_error("scopes", "Choose at least one permission.")
        if fields.get("lifetime") == "date" and "last_day" not in self.errors:
            self._check_last_day(fields.get("last_day"))
        return fields

    def _check_last_day(self, day: Any) -> None:
        if day is None:
            self.add_error("last_day", "Choose the last day on which the key works.")
        elif day < timezone.now().date():
            self.add_error("last_day", f"{day_text(day)} is in the past. Choose today or a later date.")
        elif day > (timezone.now() + LONGEST).date():
            self.add_error("last_day", "A key can last at most five years. Choose an earlier date or “Never”.")

    @property
    def chosen_scopes(self) -> list[str]:
        preset = next(
            (preset_choice for preset_choice in self.presets if preset_choice.name == self.cleaned_data["preset"]),
            None,
        )
        return list(preset.scopes) if preset else list(self.cleaned_data["scopes"])

    @property
    def expires_at(self) -> datetime | None:
        match self.cleaned_data["lifetime"]:
            case "never":
                return None
            case "date":
                day_after = self.cleaned_data["last_day"] + timedelta(days=1)
                return datetime.combine(day_after, time(), UTC)
            case days:
                return timezone.now() + timedelta(days=int(days))


class RotationForm(forms.Form):
    overlap = forms.ChoiceField(label=_("The old key"), choices=OVERLAPS, initial="86400", widget=forms.RadioSelect)

    @property
    def chosen_overlap(self) -> timedelta:
        return timedelta(seconds=int(self.cleaned_data["overlap"]))
