"""The command `maas`, started by `python -m maas_client`."""

import sys

from maas_client.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
