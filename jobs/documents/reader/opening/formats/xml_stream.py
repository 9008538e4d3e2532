"""Reads XML of unknown senders in a stream, without entities and without going deep."""

from collections.abc import Collection, Iterator
from typing import Any, BinaryIO
from xml.etree import ElementTree

from ..limits import corrupt, too_complex

Element = ElementTree.Element

MAX_DEPTH = 256
_BLOCK_BYTES = 64 << 10
_DOCTYPE = b"<!DOCTYPE"


def elements(stream: BinaryIO, names: Collection[str]) -> Iterator[Element]:
    """Yield each finished element with one of these local names, unless it is inside another that is yielded.

    The document is never whole in memory: an element is gone when the next one is requested.
    """
    open_elements: list[Element] = []
    wanted_depth = 0
    for event, element in _events(stream):
        if event == "start":
            open_elements.append(element)
            if len(open_elements) > MAX_DEPTH:
                raise too_complex(f"The document has elements within elements, more than {MAX_DEPTH} levels deep.")
            if not wanted_depth and local_name(element) in names:
                wanted_depth = len(open_elements)
            continue
        if wanted_depth == len(open_elements):
            yield element
            wanted_depth = 0
        open_elements.pop()
        if open_elements and not wanted_depth:
            open_elements[-1].remove(element)


def whole(stream: BinaryIO) -> Element:
    """Return the root element of a small document."""
    root: Element | None = None
    depth = 0
    for event, element in _events(stream):
        root = element if root is None else root
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise too_complex(f"The document has elements within elements, more than {MAX_DEPTH} levels deep.")
    if root is None:
        raise corrupt("A part of the document is empty.")
    return root


def _events(stream: BinaryIO) -> Iterator[tuple[str, Element]]:
    parser: Any = ElementTree.XMLPullParser(("start", "end"))
    before_root, tail = True, b""
    try:
        while block := stream.read(_BLOCK_BYTES):
            if before_root:
                # Entities are declared before the root element. No Office document has any.
                seen = tail + block.replace(b"\x00", b"")
                if _DOCTYPE in seen:
                    raise corrupt("The document declares XML entities, which Office documents never do.")
                tail = seen[-len(_DOCTYPE) :]
            parser.feed(block)
            for event, element in parser.read_events():
                before_root = False
                yield event, element
        parser.close()
        yield from parser.read_events()
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise corrupt("A part of the document is not valid XML.") from error


def local_name(element: Element) -> str:
    tag: str = element.tag
    return tag[tag.rfind("}") + 1 :]


def attribute(element: Element, name: str) -> str | None:
    """Return an attribute by its local name, in whichever namespace it is."""
    value = element.get(name)
    if value is not None:
        return value
    for key, value in element.items():
        if key.endswith("}" + name):
            return value
    return None


def child(element: Element | None, *path: str) -> Element | None:
    """Return the first descendant along a path of local names."""
    for name in path:
        if element is None:
            return None
        element = next((found for found in element if local_name(found) == name), None)
    return element


def children(element: Element | None, name: str) -> Iterator[Element]:
    if element is not None:
        yield from (found for found in element if local_name(found) == name)


def number(text: str | None, default: int = 0, *, least: int = 0, most: int = 1 << 31) -> int:
    """Return a whole number within bounds, or the default for what is no number."""
    if text is None or len(text) > 20:
        return default
    try:
        return min(most, max(least, int(float(text))))
    except (ValueError, OverflowError):
        return default


def is_on(element: Element | None) -> bool:
    """Return whether a property is set: it is there, and not switched off."""
    return element is not None and (attribute(element, "val") or "1").lower() not in {"0", "false", "off", "none"}
