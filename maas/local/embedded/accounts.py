"""Chooses the unprivileged account that a server runs under when this process is root."""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from maas.process.errors import ServiceUnavailable

_UNUSED_UIDS = range(61183, 60577, -1)
"""User IDs that neither distributions nor systemd assign."""


@dataclass(frozen=True, slots=True)
class ServerAccount:
    """The account of a server. It has its own user ID, so that no other program shares the server's rights."""

    uid: int
    setup_uid: int
    """The user ID for programs that insist on a user with a name. They share only the group, whose ID is `uid`."""


def server_account(data: Path) -> ServerAccount | None:
    """Return the account to become, or None to keep the current account. Data that already exists keeps its owner."""
    if os.geteuid() != 0:
        return None
    owner = data.stat().st_uid if data.exists() else 0
    return ServerAccount(uid=owner or _unused_uid(), setup_uid=_named_uid())


def _unused_uid() -> int:
    for uid in _UNUSED_UIDS:
        try:
            pwd.getpwuid(uid)
        except KeyError:
            return uid
    raise ServiceUnavailable(
        "no user number is free for PostgreSQL; set MAAS_DATABASE_URL, or run as an ordinary user"
    )


def _named_uid() -> int:
    try:
        return pwd.getpwnam("nobody").pw_uid
    except KeyError:
        raise ServiceUnavailable(
            "PostgreSQL refuses to run as root and this machine has no user `nobody`; "
            "set MAAS_DATABASE_URL, or run as an ordinary user"
        ) from None


def give_tree(root: Path, uid: int, gid: int) -> None:
    """Make `uid` and `gid` the owners of everything below `root`."""
    os.chown(root, uid, gid)
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            os.chown(os.path.join(folder, name), uid, gid, follow_symlinks=False)
