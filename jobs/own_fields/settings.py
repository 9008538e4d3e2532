"""Checks the settings of an own field, as a person or a program gives them. This module is pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inference.fields.document import TYPES as BUILT_IN
from inference.own_fields.definition import PLACES, TYPES
from jobs.core.reading_flags import LONGEST_LABEL, is_label
from tenants.core.errors import InvalidRequest
from tenants.core.messages import one_of

LONGEST_NAME = 40
LONGEST_TITLE = 80
LONGEST_SYNONYM = 120
MAX_LABELS = 20
MAX_CLASSES = 20
RESERVED = ("apply", "point", "try")
"""The names of addresses beside the fields."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a field, each checked. The type and the place are None where an example decides them."""

    name: str
    title: str
    type: str | None
    labels: Sequence[str]
    place: str | None
    classes: Sequence[str]


def checked_settings(
    *,
    name: str,
    title: str = "",
    type: str | None = None,
    labels: Iterable[str] = (),
    place: str | None = None,
    classes: Iterable[str] = (),
) -> Settings:
    return Settings(
        checked_name(name),
        checked_title(title or name.replace("_", " ").capitalize()),
        None if type is None else checked_choice("type", type, TYPES),
        checked_labels(labels),
        None if place is None else checked_choice("place", place, PLACES),
        checked_classes(classes),
    )


def checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidRequest(
            f"`name`: {name[:60]!r} is no name of a field. Use 1 to 40 of a-z, 0-9 and _, with a letter first, such as "
            "contract_number."
        )
    if name in BUILT_IN or name in RESERVED:
        why = "is found in every invoice and receipt" if name in BUILT_IN else "is reserved"
        raise InvalidRequest(f"`name`: {name!r} {why}. Choose another name.")
    return name


def checked_title(title: str) -> str:
    return _checked_text("title", title, LONGEST_TITLE)


def checked_choice(setting: str, choice: str, choices: Sequence[str]) -> str:
    if choice not in choices:
        raise InvalidRequest(f"`{setting}`: Unknown {setting} {choice[:40]!r}. Use {one_of(choices)}.")
    return choice


def checked_labels(labels: Iterable[str]) -> list[str]:
    checked = [_checked_text("labels", label, LONGEST_SYNONYM) for label in labels]
    return _few("labels", checked, MAX_LABELS)


def checked_classes(classes: Iterable[str]) -> list[str]:
    checked = [label.strip() for label in classes]
    unknown = next((label for label in checked if not is_label(label)), None)
    if unknown is not None:
        raise InvalidRequest(f"`classes`: {unknown[:60]!r} is no class. Use labels of 1 to {LONGEST_LABEL} characters.")
    return _few("classes", checked, MAX_CLASSES)


def _few(setting: str, texts: Iterable[str], most: int) -> list[str]:
    different = list(dict.fromkeys(texts))
    if len(different) > most:
        raise InvalidRequest(f"`{setting}`: {len(different)} are too many. Use at most {most}.")
    return different


def _checked_text(setting: str, text: str, longest: int) -> str:
    wanted = text.strip()
    if not wanted or len(wanted) > longest or not wanted.isprintable():
        raise InvalidRequest(f"`{setting}` must have 1 to {longest} printable characters in a single line.")
    return wanted


def require_findable(*, labels: Sequence[str], place: str, examples: int) -> None:
    """Require that there is something to look for. Raises InvalidRequest."""
    if examples:
        return
    if place == "position":
        raise InvalidRequest("`place`: 'position' needs an example: point at a value on a page.")
    if not labels:
        raise InvalidRequest("A field needs `labels`, the texts beside its value, or an example on a page.")
