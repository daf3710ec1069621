"""Write some numbers: what the first job of pipeline.py runs in every container."""

import os
import sys
from pathlib import Path

index, count = int(os.environ["INDEX"]), int(sys.argv[1])
Path("numbers").mkdir(exist_ok=True)
lines = "".join(f"{number}\n" for number in range(index * count, (index + 1) * count))
Path("numbers", f"part-{index}.txt").write_text(lines, encoding="utf-8")
