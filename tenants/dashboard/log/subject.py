"""The job that a logged request was about. Pure."""

import re

from tenants.request_log.entries import LogEntry

_JOB = re.compile(r"/v1/jobs/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![^/?])", re.IGNORECASE)


def job_id_of(entry: LogEntry) -> str:
    """Return the id of the job. It is empty if there was none, or if this request deleted it."""
    if entry.status == 404 or (entry.method == "DELETE" and entry.status < 400):
        return ""
    found = _JOB.match(entry.made) or _JOB.match(entry.path)
    return found[1].lower() if found else ""
