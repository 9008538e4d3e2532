"""The form for the restrictions of a key: names or networks, one in each text line or separated by commas."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from django import forms

from tenants.api_keys.restrictions import FenceRefused, checked_models, checked_networks

_BETWEEN = re.compile(r"[\s,;]+")
_LONGEST = 6_000


def _area(label: str, help_text: str, placeholder: str) -> forms.CharField:
    look = {"rows": 2, "placeholder": placeholder, "spellcheck": "false", "autocomplete": "off"}
    return forms.CharField(
        label=label,
        required=False,
        max_length=_LONGEST,
        help_text=help_text,
        widget=forms.Textarea(attrs=look),
    )


class FenceForm(forms.Form):
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
        except FenceRefused as refusal:
            raise forms.ValidationError(str(refusal)) from refusal

    @property
    def fences(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("allowed_models", "allowed_networks")}
