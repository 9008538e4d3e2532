"""The states of an archive and of its entries."""

UNPACKING = "unpacking"
DONE = "done"
FAILED = "failed"
CANCELED = "canceled"
STATES = (UNPACKING, DONE, FAILED, CANCELED)

WAITING = "waiting"
SKIPPED = "skipped"
ENTRY_STATES = (WAITING, DONE, FAILED, SKIPPED, CANCELED)
"""The states of an entry. `done` means a document, and a job if one was requested. `skipped` means an entry that is no
document and was never meant as one.
"""
