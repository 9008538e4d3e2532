"""The one format of moments and days on pages, in UTC until a script shows them in the reader's own zone."""

from datetime import UTC, datetime
from typing import Literal

from django.utils.dateformat import format as formatted
from django.utils.html import format_html
from django.utils.safestring import SafeString

Form = Literal["day", "minute", "second", "clock"]
_DAY = "j M Y"
_FORMS: dict[Form, str] = {
    "day": _DAY,
    "minute": f"{_DAY}, H:i",
    "second": f"{_DAY}, H:i:s",
    "clock": "H:i:s",
}


def moment_html(at: datetime, form: Form = "minute", *, text: str = "", css: str = "") -> SafeString:
    """Write a moment, with the exact UTC on hover. `text` replaces it, such as "3 min ago".

    `times.js` replaces the text of elements that have `data-moment` with the reader's own time.
    """
    at = at.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{} UTC"{}{}>{}</time>',
        at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        formatted(at, _FORMS["second"]),
        "" if text else format_html(' data-moment="{}"', form),
        format_html(' class="{}"', css) if css else "",
        text or formatted(at, _FORMS[form]) + ("" if form == "day" else " UTC"),
    )
