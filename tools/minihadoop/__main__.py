"""``python tools/minihadoop VERB``: Python puts this folder on the path, but the package lives one above."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

from minihadoop.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
