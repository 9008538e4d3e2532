"""The form that makes a webhook endpoint."""

from django import forms
from django.utils.translation import gettext_lazy as _

from jobs.core.models.jobs import LONGEST_URL
from jobs.webhooks.patterns import ALL_OF_JOBS, EVENT_TYPES

_WORDS = {
    "job.succeeded": _("every page succeeded"),
    "job.partially_succeeded": _("some pages failed"),
    "job.failed": _("no page succeeded"),
    "job.canceled": _("canceled"),
    "job.expired": _("deadline passed"),
}
EVENTS = [(ALL_OF_JOBS, _("any job finished")), *((event, _WORDS[event]) for event in EVENT_TYPES)]


class EndpointForm(forms.Form):
    url = forms.CharField(
        label=_("URL"),
        max_length=LONGEST_URL,
        help_text=_("Address of your server, such as https://example.com/hooks"),
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off", "autofocus": True}),
    )
    description = forms.CharField(label=_("Description"), max_length=200, required=False)
    events = forms.MultipleChoiceField(
        choices=EVENTS,
        initial=[ALL_OF_JOBS],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Select at least one.")},
    )
