"""The entry point of the command `maas`: an error is a text line on stderr and an exit code, never a traceback."""

import os
import sys
from collections.abc import Sequence

from maas_client.cli.arguments import parser
from maas_client.cli.codes import DONE, INTERRUPTED, JOB_FAILED, REFUSED, USAGE
from maas_client.cli.interruption import Left
from maas_client.cli.progress import say
from maas_client.client import Client
from maas_client.errors import ConnectionFailed, MaasError, MissingExtra, ModelRefused, NotConfigured, TaskFailed
from maas_client.exports.errors import CannotExport, ExportDiffers


def main(arguments: Sequence[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    try:
        with Client(url=given.url, worry=_say_trying_again) as client:
            code: int = given.do(client, given)
            return code
    except Left as left:
        say(str(left))
        return left.code
    except KeyboardInterrupt:
        say("\nInterrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has gone, as `head` does. Python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (MaasError, OSError) as error:
        return _refused(error)


def _refused(error: MaasError | OSError) -> int:
    if isinstance(error, NotConfigured | MissingExtra):
        say(f"maas: {error.detail}")
        return USAGE
    say(f"maas: {error}")
    if isinstance(error, ModelRefused | TaskFailed | CannotExport | ExportDiffers):
        return JOB_FAILED
    return REFUSED if isinstance(error, MaasError) else USAGE


def _say_trying_again(error: MaasError) -> None:
    what = "connection lost" if isinstance(error, ConnectionFailed) else error.detail.rstrip(".")
    say(f"maas: {what}, trying again …")
