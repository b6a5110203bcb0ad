"""Run the command line as `python -m groundwire`."""

import sys

from groundwire.cli import main

if __name__ == "__main__":
    sys.exit(main())
