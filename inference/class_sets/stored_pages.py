"""Stores the content of an example's pages as JSON, so that a class set is trained without reading the pages again."""

from collections.abc import Mapping, Sequence
from typing import Any

from inference.class_sets.packing import packed, packed_keys, unpacked, unpacked_keys
from inference.class_sets.page_features import LOOKS, VERSION, PageContent, Weights


def pages_to_json(pages: Sequence[PageContent]) -> dict[str, Any]:
    """Return the content of the pages as JSON, with checksums in place of words."""
    return {"version": VERSION, "pages": [_page_to_json(page) for page in pages]}


def is_current(content: Mapping[str, Any] | None) -> bool:
    """Return whether pages are stored in the form of this version. Otherwise, they must be read again."""
    return content is not None and content["version"] == VERSION


def pages_from_json(content: Any) -> list[PageContent]:
    """Return stored pages, which must be current."""
    return [_page_from_json(page) for page in content["pages"]]


def _page_to_json(page: PageContent) -> dict[str, Any]:
    return {
        "words": _weights_to_json(page.words),
        "title_words": _weights_to_json(page.title_words),
        "looks": packed(page.looks),
    }


def _page_from_json(page: Mapping[str, Any]) -> PageContent:
    return PageContent(
        words=_weights_from_json(page["words"]),
        title_words=_weights_from_json(page["title_words"]),
        looks=tuple(unpacked(page["looks"], LOOKS).tolist()),
    )


def _weights_to_json(weights: Weights) -> dict[str, str]:
    return {"keys": packed_keys([*weights]), "weights": packed([*weights.values()])}


def _weights_from_json(weights: Mapping[str, str]) -> Weights:
    keys = unpacked_keys(weights["keys"])
    return dict(zip(keys, unpacked(weights["weights"], len(keys)).tolist(), strict=True))
