"""A model card in Markdown as HTML that is safe to show. Pure."""

from collections.abc import Sequence

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

# HTML in the text is shown as text, and addresses of scripts are no links. A picture would be loaded from elsewhere.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
BELOW = 2
"""The headings of the page that stand above those of a card."""
LOWEST_HEADING = 6


def card_html(text: str) -> SafeString:
    tokens = _MARKDOWN.parse(text)
    _adapt(tokens)
    shown = str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))
    return mark_safe(shown)  # noqa: S308  # the renderer escapes the text


def _adapt(tokens: Sequence[Token]) -> None:
    """Put the headings below those of the page, and tell other sites nothing about the reader."""
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + BELOW, LOWEST_HEADING)}"
        elif token.type == "link_open":
            token.attrSet("rel", "noopener noreferrer nofollow")
        _adapt(token.children or ())
