"""Writes the bytes of its words, variables and files to raw.json in the folder that its first word names."""

import json
import os
import sys
from pathlib import Path

words = [os.fsencode(word) for word in sys.argv[1:]]
files = {
    path: path.read_bytes()
    for folder in (Path(), *(entry for entry in Path().iterdir() if entry.is_dir()))
    for path in folder.iterdir()
    if path.is_file()
}
raw = {
    "words": [word.hex() for word in words[1:]],
    "variables": {name.hex(): value.hex() for name, value in os.environb.items()},
    "files": {
        os.fsencode(path).hex(): content.hex() for path, content in files.items() if len(content) < 1000
    },
}
Path(sys.argv[1], "raw.json").write_text(json.dumps(raw))
