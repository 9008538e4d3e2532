"""Files as they reach Django: whole, on local disk and looked at."""

import hashlib
from pathlib import Path

from jobs.documents.reader import DocumentRejected, Inspection
from jobs.documents.reading import reader
from jobs.documents.uploads import Upload


def arrived(content: bytes, path: Path) -> Upload:
    path.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    return Upload(path, digest, len(content), path.name, "application/pdf", inspection=_found(path))


def _found(path: Path) -> Inspection | DocumentRejected:
    try:
        return reader().inspect(path)
    except DocumentRejected as rejected:
        return rejected
