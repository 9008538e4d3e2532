"""Typed definitions of the name and sort order of a list's column, and the badges of states."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from django.utils.html import format_html
from django.utils.safestring import SafeString

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

Column = TypeVar("Column", bound=Callable[..., Any])

GOOD, BAD, WATCH, AT_WORK, PLAIN = "good", "bad", "watch", "work", "plain"
TONES: Mapping[str, str] = {
    "queued": WATCH,
    "running": AT_WORK,
    "succeeded": GOOD,
    "partially_succeeded": WATCH,
    "failed": BAD,
    "expired": BAD,
    "canceled": PLAIN,
    "validating": WATCH,
    "measuring": AT_WORK,
    "admitted": GOOD,
    "refused": BAD,
    "in_progress": AT_WORK,
    "finalizing": AT_WORK,
    "completed": GOOD,
    "cancelling": WATCH,
    "cancelled": PLAIN,
    "active": GOOD,
    "ready": GOOD,
    "paused": WATCH,
    "suspended": BAD,
    "closing": BAD,
    "erasing": BAD,
    "revoked": BAD,
    "open": WATCH,
    "overdue": BAD,
    "paid": GOOD,
    "written_off": PLAIN,
    "credit_note": PLAIN,
}


def column(name: "StrOrPromise", *, order_by: str | None = None) -> Callable[[Column], Column]:
    def mark(show: Column) -> Column:
        setattr(show, "short_description", name)  # noqa: B010  # Django reads this attribute of the function
        if order_by:
            setattr(show, "admin_order_field", order_by)  # noqa: B010
        return show

    return mark


def state_text(state: str) -> str:
    """Write a state for people. The API spells the states of batches with two l."""
    return state.replace("_", " ").replace("cancell", "cancel")


def badge(state: str) -> SafeString:
    return tone(state_text(state), TONES.get(state, PLAIN))


def tone(text: object, how: str) -> SafeString:
    """Write a badge. The badge of the theme would render a template for each cell."""
    return format_html('<span class="op-badge is-{}">{}</span>', how, text)


def two_lines(title: str, below: str) -> SafeString:
    return format_html('<span class="op-two">{}<small>{}</small></span>', title, below)
