"""Reads and checks the names of class sets and of their classes: `letters`, `letters@3`. This module is pure."""

import re
from dataclasses import dataclass

from inference.class_sets.evaluation import UNSURE
from inference.class_sets.training import MAX_LABEL
from tenants.core.errors import InvalidRequest

LONGEST_NAME = 40
LONGEST_TITLE = 100
LONGEST_REFERENCE = LONGEST_NAME + 10
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?")
_REFERENCE = re.compile(rf"(?P<name>{_NAME.pattern})(?:@(?P<number>[1-9][0-9]{{0,8}}))?")


@dataclass(frozen=True, slots=True)
class Reference:
    """A class set as a job names it, with a version or without."""

    name: str
    number: int | None


def key_of(name: str, number: int) -> str:
    return f"{name}@{number}"


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def checked_name(text: str) -> str:
    if not is_name(text):
        raise InvalidRequest(
            f"`name` is {text[:LONGEST_NAME]!r}. Use 1 to {LONGEST_NAME} of a-z, 0-9, - and _, such as incoming-mail."
        )
    return text


def checked_title(text: str) -> str:
    title = text.strip()
    if len(title) > LONGEST_TITLE or not title.isprintable():
        raise InvalidRequest(f"`title` must have at most {LONGEST_TITLE} printable characters in a single line.")
    return title


def checked_label(text: str) -> str:
    label = text.strip()
    if not label or len(label) > MAX_LABEL or not label.isprintable():
        raise InvalidRequest(f"`label` must have 1 to {MAX_LABEL} printable characters in a single line.")
    if label.casefold() == UNSURE:
        raise InvalidRequest(f"The label {label!r} is that of documents of no class. Choose another.")
    return label


def reference(text: str) -> Reference:
    found = _REFERENCE.fullmatch(text)
    if found is None:
        raise InvalidRequest(
            f"`class_set` is {text[:LONGEST_REFERENCE]!r}. Use a name such as letters, or letters@3 for version 3."
        )
    number = found["number"]
    return Reference(found["name"], int(number) if number else None)
