"""The form of an own field, and what it says before it is saved."""

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from jobs.dashboard.own_fields.wording import PLACES, TYPES
from jobs.own_fields.settings import LONGEST_NAME, LONGEST_TITLE
from jobs.own_fields.spots import MAX_NUMBER, Spot, box_of
from tenants.core.errors import InvalidRequest

MAX_CHARACTERS = 4_000


class FieldForm(forms.Form):
    """The settings of a field that is there."""

    title = forms.CharField(label=_("Name"), max_length=LONGEST_TITLE, widget=forms.TextInput({"autocomplete": "off"}))
    type = forms.ChoiceField(label=_("Type"), choices=list(TYPES.items()))
    labels = forms.CharField(
        label=_("Labels"),
        max_length=MAX_CHARACTERS,
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text=_("The texts beside the value, one in a line. Add synonyms and other languages."),
    )
    place = forms.ChoiceField(label=_("Place"), choices=list(PLACES.items()))
    classes = forms.CharField(
        label=_("Classes"),
        max_length=MAX_CHARACTERS,
        required=False,
        widget=forms.TextInput({"autocomplete": "off"}),
        help_text=_("Only documents of these classes have the field, such as contract, letter. Empty for all."),
    )

    @property
    def settings(self) -> dict[str, Any]:
        return settings_of(self.cleaned_data)


class NewFieldForm(FieldForm):
    name = forms.CharField(
        label=_("Name for programs"),
        max_length=LONGEST_NAME,
        required=False,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("Made from the name if it is empty, such as contract_number."),
    )
    field_order = ("title", "name")

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "name": self.cleaned_data["name"] or name_of(self.cleaned_data["title"])}


def settings_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a form has, as services take them."""
    lists = {
        "labels": [label.strip() for label in values.get("labels", "").splitlines() if label.strip()],
        "classes": [label.strip() for label in values.get("classes", "").split(",") if label.strip()],
    }
    return {**{name: values[name] for name in ("title", "type", "place") if values.get(name)}, **lists}


def name_of(title: str) -> str:
    """Return the name for programs that a title for people suggests."""
    letters = unicodedata.normalize("NFKD", title.replace("ß", "ss")).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", letters).strip("_")
    return (name if name[:1].isalpha() else f"field_{name}")[:LONGEST_NAME].rstrip("_")


def spots_of(form: QueryDict) -> list[Spot]:
    """Return the place that a person pointed at, or none."""
    box, page = form.get("box", ""), form.get("page", "1")
    if not box:
        return []
    if not page.isdecimal() or not 1 <= int(page[:9]) <= MAX_NUMBER:
        raise InvalidRequest(f"{page[:20]!r} is not a page number.")
    try:
        numbers = json.loads(box[:200])
    except ValueError:
        numbers = None
    return [Spot(form.get("job", ""), int(page), box_of(numbers))]
