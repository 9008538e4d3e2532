"""What an archive and its entries may be."""

UNPACKING = "unpacking"
DONE = "done"
FAILED = "failed"
CANCELED = "canceled"
STATES = (UNPACKING, DONE, FAILED, CANCELED)

WAITING = "waiting"
SKIPPED = "skipped"
ENTRY_STATES = (WAITING, DONE, FAILED, SKIPPED, CANCELED)
"""`done` is a document, and a job where one was asked for; `skipped` is what is no document and never meant as one."""
