"""The description of a model or version as HTML that is safe to show: plain text with `code`. Pure."""

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_CODE_ALONE = MarkdownIt("zero", {"html": False}).enable("backticks")


def description_html(text: str) -> SafeString:
    return mark_safe(str(_CODE_ALONE.renderInline(text)))  # noqa: S308  # the renderer escapes the text
