"""The reasons why a backup or a restore cannot go on."""

from maas.process.errors import LaunchError


class BackupError(LaunchError):
    """A backup or restore that failed. The message says what was wrong, with what value, and what to do."""

    code = "backup_error"
