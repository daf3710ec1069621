"""Writes what it was given (variables, arguments, files) to ./output/show-<role>-<index>.json."""

import json
import os
import sys
import time
from pathlib import Path

role = os.environ.get("TF_ROLE", "worker")
index = os.environ.get("INDEX", "0")
inputs = {
    str(path): path.read_bytes().hex() if path.stat().st_size < 1 << 16 else path.stat().st_size
    for name in ("data", "valid")
    for path in sorted(Path(name).rglob("*"))
    if path.is_file()
}
shown = {"role": role, "index": index, "argv": sys.argv[1:], "env": dict(os.environ), "inputs": inputs}
Path("output").mkdir(exist_ok=True)
Path(f"output/show-{role}-{index}.json").write_text(json.dumps(shown))
if role == "ps":
    while True:
        time.sleep(60)
