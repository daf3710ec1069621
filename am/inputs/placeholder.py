"""Input strategy PLACEHOLDER: the program gets the names and reads the files itself."""

from __future__ import annotations

import json

from xlearning.am.inputs.assign import Assignment

VARIABLE = "INPUT_FILE_LIST"
FILE = "inputFileList.txt"  # takes the list where the environment would become too long


def file_list(assignment: Assignment) -> str:
    """``{"data": ["hdfs://nn/a", ...]}``: full URIs, not percent-encoded, one line."""
    return json.dumps(
        {local: [status.path for status in files] for local, files in assignment.items()},
        ensure_ascii=False,
        separators=(",", ":"),
    )
