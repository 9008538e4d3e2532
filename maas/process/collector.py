"""Keeps Python's garbage collector from repeatedly scanning objects that live as long as the process."""

import gc

NEW_OBJECTS = 10_000
"""New objects before the youngest generation is scanned. A few dozen calls have more than Python's default of 700."""


def hold_collector() -> None:
    """Pause collection during imports. Their objects stay, and scanning them takes a fifth of a start."""
    gc.disable()


def settle_collector() -> None:
    """Exclude all current objects from collection, once everything is imported and set up.

    Django and its libraries make up some hundred thousand objects. Scanning them delays every call for a tenth of a
    second, and took a fifth of the web process's time under many callers. They are not scanned here either: that takes
    a quarter of a second and would find one object in a hundred to be garbage.
    """
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)
    gc.enable()
