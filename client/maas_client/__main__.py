"""`python -m maas_client` is the command `maas`."""

import sys

from maas_client.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
