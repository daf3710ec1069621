"""A user's program on a secure cluster: what hdfs-native and Java may do with the tokens it was given.

Writes ./output/seen.json, then waits until the file named by its argument is there.
"""

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import hdfs_native

tokens = os.environ["HADOOP_TOKEN_FILE_LOCATION"]
entries = [status.path for status in hdfs_native.Client().list_status("/user/alice")]
ls = subprocess.run([sys.argv[2], "dfs", "-ls", "/user/alice"], capture_output=True, text=True)
seen = {
    "env": dict(os.environ),
    "mode": stat.S_IMODE(Path(tokens).stat().st_mode),
    "native": entries,
    "java": ls.stdout,
    "java_error": ls.stderr,
    "lines": Path("data/part").read_text().splitlines(),
}
Path("output/seen.json").write_text(json.dumps(seen))
while not Path(sys.argv[1]).exists():
    time.sleep(0.1)
