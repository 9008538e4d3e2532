"""The form that makes a webhook endpoint."""

from django import forms

from jobs.core.models.jobs import LONGEST_URL
from jobs.webhooks.patterns import ALL_OF_JOBS, EVENT_TYPES

_WORDS = {
    "job.succeeded": "every page succeeded",
    "job.partially_succeeded": "some pages failed",
    "job.failed": "no page succeeded",
    "job.canceled": "it was canceled",
    "job.expired": "its time had run out",
}
EVENTS = [(ALL_OF_JOBS, "every end of a job"), *((event, _WORDS[event]) for event in EVENT_TYPES)]


class EndpointForm(forms.Form):
    url = forms.CharField(
        label="Address",
        max_length=LONGEST_URL,
        help_text="Of a server of yours, such as https://example.com/hooks",
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off", "autofocus": True}),
    )
    description = forms.CharField(label="Description", max_length=200, required=False)
    events = forms.MultipleChoiceField(
        choices=EVENTS,
        initial=[ALL_OF_JOBS],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one."},
    )
