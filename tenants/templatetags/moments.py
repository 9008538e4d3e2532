"""Template tags for moments and days. Templates need not load this module."""

from datetime import date, datetime

from django import template
from django.utils.safestring import SafeString

from tenants.core.times import day_text
from tenants.dashboard_base.moments import Form, moment_html

register = template.Library()


@register.simple_tag
def moment(at: datetime | None, form: Form = "minute", *, text: str = "", css: str = "") -> SafeString | str:
    """Write a moment, or nothing if there is none."""
    return moment_html(at, form, text=text, css=css) if at else ""


@register.filter
def day(value: date | None) -> str:
    return day_text(value) if value else ""
