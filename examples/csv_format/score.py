"""Adds a score to every row: a JSON object for each line, in and out."""

import json
import sys

for line in sys.stdin:
    row = json.loads(line)
    row["score"] = f"{int(row['orders']) / int(row['visits']):.3f}"
    print(json.dumps(row))
