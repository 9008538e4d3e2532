"""Why a backup or a restore cannot go on."""

from maas.process.errors import LaunchError


class BackupError(LaunchError):
    """Says what was wrong, with what, and what to do."""

    code = "backup_error"
