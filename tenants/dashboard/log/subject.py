"""Which job a logged request was about; pure."""

import re

from tenants.request_log.entries import JournalEntry

_JOB = re.compile(r"/v1/jobs/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![^/?])", re.IGNORECASE)


def job_id_of(entry: JournalEntry) -> str:
    """Empty where there is no job to go to: none was meant, it was not found, or this very request deleted it."""
    if entry.status == 404 or (entry.method == "DELETE" and entry.status < 400):
        return ""
    found = _JOB.match(entry.made) or _JOB.match(entry.path)
    return found[1].lower() if found else ""
