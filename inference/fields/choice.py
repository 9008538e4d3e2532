"""The choice of the best candidate for a field, by how much speaks for it in all places that say the same."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from math import prod

from inference.fields.identity import squeezed_text
from inference.fields.parties import LEGAL_FORM
from inference.fields.sums import OnPage

LATER_PAGE = 0.93
"""The worth of a candidate on a later page, where the first page usually says it."""
SIMILAR = 0.8
"""The similarity of two readings of the same name, at least."""


def chosen(found: Sequence[OnPage], *, text: bool = False) -> tuple[OnPage, float] | None:
    """Return the best candidate and its certainty: more if several places say it, less if others say otherwise."""
    groups: dict[str, list[OnPage]] = {}
    for each in found:
        key = squeezed_text(each.candidate.value) if text else each.candidate.normalized or each.candidate.value
        groups.setdefault(_group_key(groups, key) if text else key, []).append(each)
    ranked = sorted(((_certainty(group), group) for group in groups.values()), key=lambda one: -one[0])
    if not ranked:
        return None
    certainty, group = ranked[0]
    second = ranked[1][0] if len(ranked) > 1 else 0.0
    best = max(group, key=lambda each: (*(_legibility(each) if text else ()), each.candidate.score, -each.page))
    return best, certainty * (1.0 if second < 0.75 * certainty else 0.85)


def _group_key(groups: Mapping[str, Sequence[OnPage]], key: str) -> str:
    """Return the name that is the same but for its end or a few misread letters, or this name."""
    return next((known for known in groups if _is_similar(known, key)), key)


def _is_similar(one: str, other: str) -> bool:
    if min(len(one), len(other)) < 4:
        return one == other
    return _begins(one, other) or SequenceMatcher(None, one, other, autojunk=False).ratio() >= SIMILAR


def _begins(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _legibility(found: OnPage) -> tuple[bool, float]:
    """Return whether a name has a legal form, and the size of its print: larger print is read better."""
    box = found.candidate.box
    return LEGAL_FORM.search(found.candidate.value) is not None, round(box.height / 4) if box else 0


def _certainty(group: Sequence[OnPage]) -> float:
    scores = sorted((_scored(each) for each in group), reverse=True)
    return 1 - prod(1 - score * weight for score, weight in zip(scores, (1.0, 0.3, 0.15), strict=False))


def _scored(found: OnPage) -> float:
    return found.candidate.score * (1.0 if found.page == 1 else LATER_PAGE)


def same_name(one: str, other: str | None) -> bool:
    return other is not None and _is_similar(squeezed_text(one), other)
