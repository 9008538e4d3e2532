"""The product's worker, which also records each model file that it opens. It is a process of the affinity benchmark."""

import sys
from pathlib import Path
from typing import Any

from django.core.management import execute_from_command_line

from inference.runtime import session_host
from inference.runtime.hosted_session import HostedSession


def main(opened: Path) -> None:
    class Counted(HostedSession):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            with opened.open("a") as lines:
                lines.write(f"{self.load_s:.4f}\n")

    vars(session_host)["HostedSession"] = Counted
    execute_from_command_line(["manage.py", "worker"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
