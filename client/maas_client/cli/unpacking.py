"""The command `maas run --unpack`: ZIP archives whose documents each become a job."""

import argparse
from functools import partial
from pathlib import Path
from uuid import uuid4

from maas_client.archives import Archive, Unpacking
from maas_client.cli.progress import Display, say
from maas_client.client import Client
from maas_client.errors import ConnectionFailed, InvalidRequest, Unavailable
from maas_client.resources import Job


def require_archives(given: argparse.Namespace) -> None:
    if given.text is not None or any(isinstance(file, str) for file in given.files):
        given.parser.error("--unpack takes files")
    if given.no_attachments or given.password is not None:
        given.parser.error("--no-attachments and --password are not for the documents of an archive")
    if given.expires_after is not None or given.cancel_after is not None:
        given.parser.error("--expires-after and --cancel-after are not for the documents of an archive")


def unpack(client: Client, given: argparse.Namespace, shown: Display, submitted: list[tuple[str, Job]]) -> bool:
    """Submit the documents in the archives, as `_submit` does, and return whether every document has its job."""
    whole = True
    for archive, name in _sent(client, given, shown):
        if archive is None:
            whole = False
            continue
        client.wait_for_archive(archive.id, told=partial(shown.entries, name))
        whole &= _jobs(client, archive, name, shown, submitted)
    return whole


def _sent(client: Client, given: argparse.Namespace, shown: Display) -> list[tuple[Archive | None, str]]:
    """Send all archives before any wait. The archive is None if it was refused."""
    own_key = given.idempotency_key or uuid4().hex
    several = len(given.files) > 1
    sent: list[tuple[Archive | None, str]] = []
    for number, file in enumerate(given.files, 1):
        how = _how(given, f"{own_key}-{number}" if several else own_key)
        how["progress"] = shown.upload(str(file))
        sent.append((_taken(client, file, how, own_key), str(file)))
    return sent


def _taken(client: Client, file: Path, how: Unpacking, own_key: str) -> Archive | None:
    try:
        return client.upload_archive(file, **how)
    except InvalidRequest as refusal:
        # The other files may be valid.
        say(f"maas: {file}: {refusal}")
        return None
    except (ConnectionFailed, Unavailable):
        say(f"maas: {file}: not known to have arrived; again without a second one: --idempotency-key {own_key}")
        raise


def _how(given: argparse.Namespace, key: str) -> Unpacking:
    how: Unpacking = {
        "model": given.model,
        "parameters": dict(given.parameter),
        "idempotency_key": key,
    }
    if given.priority is not None:
        how["priority"] = given.priority
    if given.class_set is not None:
        how["class_set"] = given.class_set
    return how


def _jobs(client: Client, archive: Archive, name: str, shown: Display, submitted: list[tuple[str, Job]]) -> bool:
    whole = True
    for entry in client.archive_entries(archive.id):
        inside = f"{name}/{entry.name}"
        if entry.job is not None:
            job = client.job(entry.job)
            submitted.append((inside, job))
            shown.submitted(inside, job)
        elif entry.state != "skipped":
            whole = False
            why = f"{entry.error.detail} ({entry.error.code})" if entry.error else entry.state
            say(f"maas: {inside}: {why}")
    return whole
