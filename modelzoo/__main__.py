"""python -m modelzoo."""

import sys

from modelzoo.cli import main

if __name__ == "__main__":
    sys.exit(main())
