"""The opinion of a model about a page in words: class, quality and warnings. This module makes no queries.

An added model may return anything under the names read here. What makes no sense is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from jobs.core.document_class import USUAL_LABELS
from jobs.dashboard.reading.lines import svg_points
from jobs.results.pictures.turns import Corners, corners_of, number

UNSURE = "unsure"
MAX_KINDS = 32
LONGEST_LABEL = 60
MAX_WARNINGS = 50
LONGEST_MESSAGE = 300


@dataclass(frozen=True)
class KindView:
    label: str
    percent: int

    @property
    def title(self) -> str:
        return kind_title(self.label)


@dataclass(frozen=True)
class ClassView:
    label: str
    """The class, or `unsure`. It is empty if the result names none."""
    kinds: Sequence[KindView]
    """All classes, the most probable first."""
    corrected: bool = False

    @property
    def unsure(self) -> bool:
        return self.label == UNSURE

    @property
    def words(self) -> str:
        if self.corrected:
            return kind_title(self.label)
        if self.unsure:
            best = ", ".join(f"{kind.title} {kind.percent} %" for kind in self.kinds[:2])
            return f"{_('Unsure')}: {best}" if best else _("Unsure")
        own = next((kind for kind in self.kinds if kind.label == self.label), None)
        return f"{own.title} · {own.percent} %" if own else kind_title(self.label)


NO_CLASS = ClassView("", ())


def kind_title(label: str) -> str:
    text = label.replace("_", " ")
    return text[:1].upper() + text[1:]


def class_view(result: Mapping[str, Any]) -> ClassView:
    """Return the class of a page. Results of earlier versions have scores in place of probabilities."""
    match result.get("class"):
        case {"label": str(label), "probabilities": dict(shares)} | {"label": str(label), "scores": dict(shares)}:
            kinds = _kinds(shares)
            return ClassView(label, kinds) if kinds and 0 < len(label) <= LONGEST_LABEL else NO_CLASS
    return NO_CLASS


def with_correction(found: ClassView, label: str) -> ClassView:
    """Return the class that a person chose, or the model's without a `label`."""
    return ClassView(label, found.kinds, corrected=True) if label else found


def choices(found: ClassView) -> list[KindView]:
    """Return the classes that a person may choose from: those of the model, then the usual ones."""
    known = {kind.label: kind for kind in found.kinds}
    return list({**known, **{label: KindView(label, 0) for label in USUAL_LABELS if label not in known}}.values())


def _kinds(shares: Mapping[Any, Any]) -> list[KindView]:
    found = [
        (label, share)
        for label, value in list(shares.items())[:MAX_KINDS]
        if isinstance(label, str) and len(label) <= LONGEST_LABEL and (share := number(value)) is not None
    ]
    if len(found) < len(shares):
        return []
    return [KindView(label, max(0, round(100 * share))) for label, share in sorted(found, key=lambda item: -item[1])]


_UNREAD_SENTENCES = {
    "unknown_script": gettext_lazy("There is writing here in a script that was not read."),
    "handwriting": gettext_lazy("There is handwriting here. It may be read wrong."),
}
"""Sentences in place of missing messages. The messages name the script and count the lines."""
_SENTENCES = {
    "low_confidence": gettext_lazy("Some words are hard to read."),
    "doubtful_order": gettext_lazy("The order of the text may be wrong."),
    "doubtful_table": gettext_lazy("A table here is doubtful: it may be none, or its cells may be divided wrong."),
    "cut_off": gettext_lazy("The page is cut off at its edge. Text may be missing."),
    "blank": gettext_lazy("The page is blank."),
    "nearly_blank": gettext_lazy("There is hardly anything on the page."),
    "low_resolution": gettext_lazy("The picture is coarse. A sharper scan is read better."),
    "picture_unread": gettext_lazy("A picture on the page was not read. If text matters there, send a PDF."),
    "text_layer_unreadable": gettext_lazy("The text in the file is garbled, so the page was read from its picture."),
}


@dataclass(frozen=True)
class WarningView:
    number: int
    words: str
    box: Corners | None

    @property
    def place(self) -> str:
        """Return the name that links the warning with its box."""
        return f"w{self.number}"

    @property
    def corners(self) -> str:
        return svg_points(self.box)


def warning_views(result: Mapping[str, Any]) -> list[WarningView]:
    given = result.get("warnings")
    found = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    shown = [(words, corners_of(one.get("box"))) for one in found[:MAX_WARNINGS] if (words := _words(one))]
    return [WarningView(place, words, box) for place, (words, box) in enumerate(shown, 1)]


def _words(warning: Mapping[str, Any]) -> str:
    code, message = warning.get("code"), warning.get("message")
    if isinstance(code, str) and code in _SENTENCES:
        return str(_SENTENCES[code])
    if isinstance(message, str) and message:
        return message[:LONGEST_MESSAGE]
    return str(_UNREAD_SENTENCES.get(code, "")) if isinstance(code, str) else ""


def quality_words(result: Mapping[str, Any], *, settled: bool = False) -> str:
    """Return the quality of the reading in words. It is empty for results of earlier versions.

    `settled` says that a person has corrected or confirmed all that was to be checked.
    """
    if settled:
        return _("Checked")
    if result.get("needs_review") is True:
        return _("Check this page")
    return _("Read well") if result.get("needs_review") is False else ""
