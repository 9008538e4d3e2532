"""Descriptions of browsers from their own names, so that people can distinguish their devices. Pure."""

import re

_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
"""The browsers in the order of the search, since most of them also name those that follow them here."""
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("Linux", "Linux"),
)


def browser_words(user_agent: str) -> str:
    browser = next((name for sign, name in _BROWSERS if re.search(rf"\b{sign}\w*/", user_agent)), "")
    system = next((name for sign, name in _SYSTEMS if sign in user_agent), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or system or "Unknown browser"
