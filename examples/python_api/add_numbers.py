"""Add up what lies in ./numbers, and fail where it is not what is expected: the second job of pipeline.py."""

import sys
from pathlib import Path

expected = int(sys.argv[1])
files = sorted(path for path in Path("numbers").rglob("part-*") if path.is_file())
total = sum(int(line) for path in files for line in path.read_text(encoding="utf-8").split())
print(f"{len(files)} files, sum {total}")
sys.exit(0 if total == expected else f"the sum is {total}, not {expected}")
