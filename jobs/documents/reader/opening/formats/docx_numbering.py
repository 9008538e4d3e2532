"""The styles of a Word document's paragraphs, and the numbers of its lists and headings."""

import re
from dataclasses import dataclass, field, replace

from .package import Package, property_of
from .xml_stream import Element, attribute, child, children, local_name, number

MAX_LEVELS = 9
_HEADING = re.compile(r"heading (\d)")
_BULLET = "•"
_ROMAN = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


@dataclass(frozen=True, slots=True)
class Style:
    """The kind of a paragraph. The values of a style that says nothing come from the style that it is based on."""

    level: int | None = None
    """The level of a heading, from 1."""
    caption: bool = False
    list_id: str | None = None
    list_level: int | None = None


class Styles:
    """The styles of a document by their ids. Each is worked out once, when it is needed first."""

    def __init__(self, entries: dict[str, Element]) -> None:
        self._entries = entries
        self._found: dict[str, Style] = {}

    def style(self, name: str) -> Style:
        chain: dict[str, None] = {}
        # Styles may be based on each other in a circle.
        while name in self._entries and name not in self._found and name not in chain:
            chain[name] = None
            name = property_of(self._entries[name], "basedOn") or ""
        style = self._found.get(name, Style())
        for own in reversed(chain):
            entry = self._entries[own]
            style = _completed(own_style(child(entry, "pPr"), (property_of(entry, "name") or "").lower()), style)
            self._found[own] = style
        return style


def read_styles(package: Package, main: str) -> Styles:
    part = package.part_of_type(main, "styles")
    if part is None:
        return Styles({})
    return Styles({attribute(entry, "styleId") or "": entry for entry in children(package.read_xml(part), "style")})


def own_style(properties: Element | None, name: str = "") -> Style:
    level: int | None = None
    if found := _HEADING.fullmatch(name):
        level = max(1, int(found[1]))
    elif name in {"title", "subtitle"}:
        level = 1 if name == "title" else 2
    if properties is None:
        return Style(level, name == "caption")
    outline = property_of(properties, "outlineLvl")
    if level is None and outline is not None and (given := number(outline, MAX_LEVELS)) < MAX_LEVELS:
        level = given + 1
    list_level = property_of(properties, "numPr", "ilvl")
    return Style(
        level,
        name == "caption",
        property_of(properties, "numPr", "numId"),
        None if list_level is None else number(list_level, most=MAX_LEVELS - 1),
    )


def _completed(style: Style, base: Style) -> Style:
    return Style(
        base.level if style.level is None else style.level,
        style.caption or base.caption,
        base.list_id if style.list_id is None else style.list_id,
        base.list_level if style.list_level is None else style.list_level,
    )


def style_of_paragraph(properties: Element | None, styles: Styles) -> Style:
    base = styles.style(property_of(properties, "pStyle") or "")
    style = _completed(own_style(properties), base)
    # The list 0 means that the paragraph is in none, although its style is.
    return replace(style, list_id=None) if style.list_id == "0" else style


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    form: str = "decimal"
    text: str = "%1."


@dataclass
class Numbering:
    """The lists of a document. Paragraphs are counted in the order in which they are asked for."""

    levels: dict[str, dict[int, _Level]] = field(default_factory=dict)
    """The levels of each list, by the id that lists of the same counting share."""
    shared: dict[str, str] = field(default_factory=dict)
    _counts: dict[str, list[int | None]] = field(default_factory=dict)

    def label(self, list_id: str, level: int) -> str:
        """Return the number or bullet of the next paragraph in this list."""
        counting = self.shared.get(list_id, "")
        levels = self.levels.get(counting, {})
        counts = self._counts.setdefault(counting, [None] * MAX_LEVELS)
        about = levels.get(level, _Level(form="bullet"))
        before = counts[level]
        counts[level] = about.start if before is None else before + 1
        counts[level + 1 :] = [None] * (MAX_LEVELS - level - 1)
        if about.form == "bullet":
            return _BULLET
        if about.form == "none":
            return ""

        def counted(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            of_level = levels.get(at, _Level())
            count = counts[at] if at < MAX_LEVELS else None
            return _in_form(of_level.start if count is None else count, of_level.form)

        return re.sub(r"%([1-9])", counted, about.text)


def read_numbering(package: Package, main: str) -> Numbering:
    part = package.part_of_type(main, "numbering")
    if part is None:
        return Numbering()
    levels, shared = {}, {}
    for entry in package.read_xml(part):
        if local_name(entry) == "abstractNum":
            found = {
                number(attribute(level, "ilvl"), most=MAX_LEVELS): _level(level) for level in children(entry, "lvl")
            }
            levels[attribute(entry, "abstractNumId") or ""] = found
        elif local_name(entry) == "num":
            shared[attribute(entry, "numId") or ""] = property_of(entry, "abstractNumId") or ""
    return Numbering(levels, shared)


def _level(entry: Element) -> _Level:
    return _Level(
        number(property_of(entry, "start"), 1, most=100_000),
        property_of(entry, "numFmt") or "decimal",
        (property_of(entry, "lvlText") or "")[:50],
    )


def _in_form(count: int, form: str) -> str:
    match form:
        case "lowerLetter" | "upperLetter" if 1 <= count <= 26 * 9:
            letter = chr(ord("a") + (count - 1) % 26) * (1 + (count - 1) // 26)
            return letter if form == "lowerLetter" else letter.upper()
        case "lowerRoman" | "upperRoman" if 1 <= count < 400:
            roman = _roman(count)
            return roman if form == "lowerRoman" else roman.upper()
        case "decimalZero":
            return f"{count:02}"
    return str(count)


def _roman(count: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (count // value)
        count %= value
    return text
