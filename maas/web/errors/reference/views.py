"""Serves `/errors/<code>`, the `type` of a problem, from the tables of docs/api.md."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from maas.web.errors.api_errors import TITLES

DOCUMENT = "docs/api.md"
_ROW_WITHOUT_STATUS = "| code | when |"


@dataclass(frozen=True)
class Meaning:
    section: str
    """The heading of its table, such as `Request errors`."""
    status: int | None
    """The HTTP status, or None for a code that only occurs inside a response."""
    text: str
    """The text in the document's Markdown, with code, links and bold text."""


def read_meanings(text: str) -> Mapping[str, tuple[Meaning, ...]]:
    """Return the meanings by code. A code that is in several tables has one meaning for each."""
    found: defaultdict[str, list[Meaning]] = defaultdict(list)
    section, has_status = "", True
    for line in text.partition("\n## Errors\n")[2].splitlines():
        if line.startswith("## "):
            break
        if line.startswith("### "):
            section = line.removeprefix("### ")
        elif line.startswith("| code |"):
            has_status = line != _ROW_WITHOUT_STATUS
        elif line.startswith("| `") and section:
            code, status, meaning = _cells(line, has_status=has_status)
            found[code].append(Meaning(section, status, meaning))
    return {code: tuple(meanings) for code, meanings in found.items()}


def _cells(line: str, *, has_status: bool) -> tuple[str, int | None, str]:
    code, *rest = (cell.strip() for cell in line.strip().strip("|").split("|", 2 if has_status else 1))
    status = int(rest[0]) if has_status and rest[0] else None
    return code.strip("`"), status, rest[-1]


@cache
def meanings() -> Mapping[str, tuple[Meaning, ...]]:
    """Read the document once in a process."""
    return read_meanings((settings.BASE_DIR / DOCUMENT).read_text())


_MARKED = re.compile(r"`([^`]+)`|\[([^\]]+)\]\([^)]+\)|\*\*([^*]+)\*\*|\*([^*]+)\*")
_AGAIN = "Wait for the seconds in `Retry-After`, then send the request again."
_STOP = "Do not retry. A person must resolve this first."
_CORRECT = "Read the `detail` of the error and change the request. Retrying the same request does not help."
_WHAT_TO_DO = {
    401: _STOP,
    402: _STOP,
    403: _STOP,
    408: "Retry a few times, with increasing pauses.",
    423: _AGAIN,
    429: _AGAIN,
    500: "Retry a few times, with increasing pauses. If it persists, contact the operator and quote the `request_id`.",
    503: _AGAIN,
    504: "Retry with a smaller request or a later deadline.",
    507: _AGAIN,
}
_WITHIN = "This code appears inside a response and says why a part of it failed. Do not retry that part unchanged."


@require_safe
def error_code(request: HttpRequest, code: str) -> HttpResponse:
    """Show the page without authentication, because programs meet errors before they have a key."""
    found = meanings().get(code)
    if found is None:
        raise Http404(f"Unknown error code {code[:60]!r}.")
    status = next((meaning.status for meaning in found if meaning.status is not None), None)
    context = {
        "code": code,
        "status": status,
        "title": TITLES[status] if status else "Error inside a response",
        "meanings": [(meaning.section, in_html(meaning.text)) for meaning in found],
        "what_to_do": in_html(_what_to_do(found)),
    }
    response = render(request, "error_code.html", context)
    response["Cache-Control"] = "no-cache"
    return response


def _what_to_do(found: tuple[Meaning, ...]) -> str:
    status = next((meaning.status for meaning in found if meaning.status is not None), None)
    return _WHAT_TO_DO.get(status, _CORRECT) if status else _WITHIN


def in_html(text: str) -> SafeString:
    """Return the document's Markdown as HTML. A link becomes its text, because it leads within the document."""
    pieces, at = [], 0
    for match in _MARKED.finditer(text):
        code, linked, bold, slanted = match.groups()
        pieces.append(conditional_escape(text[at : match.start()]))
        tag = "code" if code else "strong" if bold else "em" if slanted else ""
        inner = in_html(linked) if linked else conditional_escape(code or bold or slanted)
        pieces.append(format_html(f"<{tag}>{{}}</{tag}>", inner) if tag else inner)
        at = match.end()
    pieces.append(conditional_escape(text[at:]))
    return format_html_join("", "{}", ((piece,) for piece in pieces))
