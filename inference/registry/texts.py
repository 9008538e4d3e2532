"""The checks of texts that owners write about their models."""

import re

from tenants.core.errors import InvalidRequest

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CONTROL_IN_LINES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def checked_line(text: str, what: str, longest: int) -> str:
    """Return a text of one line. Raises InvalidRequest, which calls it `what`."""
    return _checked(text, what, longest, _CONTROL)


def checked_lines(text: str, what: str, longest: int) -> str:
    """Return a text of any number of lines, with the line breaks of Unix. Tabs are allowed in it, too."""
    return _checked(text.replace("\r\n", "\n"), what, longest, _CONTROL_IN_LINES)


def _checked(text: str, what: str, longest: int, control: re.Pattern[str]) -> str:
    if len(text) > longest:
        raise InvalidRequest(f"{what} has {len(text)} characters. Send {longest} at most.")
    found = control.search(text)
    if found is not None:
        kind = "a line break" if found.group() in "\n\r\u2028\u2029" else "the control character"
        raise InvalidRequest(f"{what} contains {kind}, U+{ord(found.group()):04X}. Send it without.")
    return text
