"""Keeps Python's collector from going again and again through what stays as long as the process."""

import gc

NEW_OBJECTS = 10_000
"""Before the youngest are looked through: some dozens of calls at once have more objects than Python's own 700."""


def hold_collector() -> None:
    """While modules are imported: they stay, and to go through them again and again is a fifth of a start."""
    gc.disable()


def settle_collector() -> None:
    """Once all is imported and set up; that is never looked through again.

    Django and its libraries are some hundred thousand objects. To go through them holds up every call for a tenth of a
    second, and took a fifth of the web process' time under many callers. Nor are they looked through here: of a quarter
    of a second's work, one object in a hundred would be found to be of no more use.
    """
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)
    gc.enable()
